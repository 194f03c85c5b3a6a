import { describe, expect, it } from 'vitest';
import { candidate, compileInput, retrieved } from '../../tests/support/candidates.js';
import type { Candidate } from '../domain/candidate.js';
import type { Conflict } from '../domain/context-package.js';
import { compileContext } from './pipeline.js';

const passage = (path: string, firstLine: number, words = 60): Candidate =>
  candidate({ path, firstLine, excerpt: Array.from({ length: words }, (_, at) => `word${at}`).join(' ') });

function taken(candidates: readonly Candidate[], ceilingTokens: number, conflicts: readonly Conflict[] = []): readonly string[] {
  const { body } = compileContext(compileInput(retrieved(candidates, { conflicts }), { ceilingTokens })).package;
  return body.items.map(({ path, lines }) => `${path}:${lines.start}`);
}

/** Room for two of the passages. */
const TWO = 400;

describe('pages in turn', () => {
  it('takes another page before a second passage of one, and shows them by rank', () => {
    const offered = [passage('a.md', 1), passage('a.md', 9), passage('b.md', 1), passage('c.md', 1)];
    expect(taken(offered, TWO)).toEqual(['a.md:1', 'b.md:1']);
    expect(taken(offered, 4_000)).toEqual(['a.md:1', 'a.md:9', 'b.md:1', 'c.md:1']);
  });

  it('a page whose best passage does not fit gives the next one that does', () => {
    expect(taken([passage('a.md', 1, 400), passage('a.md', 9), passage('b.md', 1)], TWO)).toEqual(['a.md:9', 'b.md:1']);
  });

  it('RET-11 what speaks against a passage that is in does not wait, though it stands on the same page', () => {
    const [one, against, other] = [passage('a.md', 1), passage('a.md', 9), passage('b.md', 1)];
    const conflict = { artifacts: [one.artifact.id, against.artifact.id], reason: 'they differ in a number' };
    expect(taken([one, against, other], TWO, [conflict])).toEqual(['a.md:1', 'a.md:9']);
  });
});
