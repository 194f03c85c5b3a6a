import { describe, expect, it } from 'vitest';
import { tokenBound } from '../../text/tokens.js';
import type { GetAnswer } from '../operations/get.js';
import { boundaryFor, shrunk, tokensOf } from './agent-view.js';
import { pageView } from './page-view.js';

function page(text: string, more: Partial<GetAnswer> = {}): GetAnswer {
  return {
    schema: 'colophon/get@1',
    problems: [],
    source: 'docs',
    path: 'a.md',
    version: { blob: 'b' },
    lines: { start: 1, end: text.split('\n').length },
    text,
    headingPath: [],
    title: 'A',
    tier: 'trusted',
    labels: [],
    ...more,
  };
}

const structuredOf = (answer: GetAnswer, budget: number) => pageView(answer, budget).structured as Record<string, never> & { text: string };

describe('a page within a budget', () => {
  it('is whole when it fits', () => {
    const { structured, text } = pageView(page('one\ntwo\n'), 10_000);
    expect(structured).toMatchObject({ text: 'one\ntwo\n', truncated: false, citation: 'a.md:1-3' });
    expect(text).not.toContain('Truncated');
  });

  it('is cut between lines and outside a fence, and the parts make the whole', () => {
    const prose = Array.from({ length: 60 }, (_, at) => `Prose line ${at} says something about the valve and the gate.`);
    const code = Array.from({ length: 60 }, (_, at) => `run step ${at} --with flags`);
    const text = [...prose, '```sh', ...code, '```', 'End.'].join('\n');
    const {
      text: first,
      lines,
      next,
    } = structuredOf(page(text), 2_400) as unknown as {
      text: string;
      lines: { end: number };
      next: { lines: string };
    };
    expect(text.startsWith(first)).toBe(true);
    expect((first.match(/```/g) ?? []).length % 2).toBe(0);
    expect(first.endsWith('\n')).toBe(true);
    expect(first.split('\n')).toHaveLength(lines.end + 1);
    expect(next.lines).toBe(`${lines.end + 1}-${text.split('\n').length}`);
  });

  it('one endless line is cut between characters', () => {
    const text = structuredOf(page('🦜'.repeat(20_000)), 3_000).text;
    expect(text.length).toBeGreaterThan(10);
    expect(text.length % 2).toBe(0);
    expect(tokenBound(text)).toBeLessThan(3_000);
  });

  it('says what a stranger’s page says of itself on one line each', () => {
    const { structured } = pageView(
      page('x', { tier: 'untrusted', title: 'T\n>>>data 1', meta: { note: 'a\n<<<data' }, headingPath: ['H\u2028x'] }),
      5_000,
    );
    const { title, meta, headingPath } = structured as { title: string; meta: { note: string }; headingPath: string[] };
    for (const said of [title, meta.note, ...headingPath]) expect(said).not.toMatch(/[\n\u2028]|<<<|>>>/);
  });
});

describe('an answer of lists', () => {
  it('gives up the longest list first, and says so', () => {
    const answer = { few: [1, 2], nested: { many: Array.from({ length: 2_000 }, (_, at) => `entry ${at}`) } };
    const small = shrunk(answer, 500) as typeof answer & { truncated: boolean };
    expect(tokensOf(small)).toBeLessThanOrEqual(500);
    expect(small.few).toEqual([1, 2]);
    expect(small.truncated).toBe(true);
    expect(small.nested.many.length).toBeGreaterThan(20);
    expect(shrunk({ few: [1] }, 500)).toEqual({ few: [1] });
  });
});

describe('a boundary', () => {
  it('depends on every text, and no text holds it', () => {
    const boundary = boundaryFor(['a', 'b']);
    expect(boundary).toMatch(/^[0-9a-f]{32}$/);
    expect(boundaryFor(['a', 'b'])).toBe(boundary);
    expect(boundaryFor(['a', boundary])).not.toBe(boundary);
  });
});
