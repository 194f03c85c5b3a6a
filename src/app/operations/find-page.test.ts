import { describe, expect, it } from 'vitest';
import type { EligibleSet } from '../../domain/eligibility.js';
import type { StoredArtifact } from '../../ports/index-reader.js';
import type { Door } from '../asking/asking.js';
import { findPage } from './find-page.js';

const FULL = (digits: string) => `ka_${digits.padEnd(32, '0')}`;
/** Two that begin alike for nine digits, and a page that bears such a name itself. */
const ONE = FULL('5b0c11d2a');
const TWIN = FULL('5b0c11d2af');
const OTHER = FULL('90ee4f17');
const PAGE_NAME = 'ka_aaaaaaaa';

function doorOf(ids: readonly string[]): Pick<Door, 'snapshot' | 'eligible' | 'places'> {
  const pageOf = (path: string) => ({ source: 'docs', path }) as StoredArtifact['page'];
  const snapshot = {
    idsBeginning: async (_: EligibleSet, start: string, limit: number) => ids.filter((id) => id.startsWith(start)).slice(0, limit),
    artifacts: async (_: EligibleSet, asked: readonly string[]) => ({
      artifacts: asked.filter((id) => ids.includes(id)).map((id) => ({ id, page: pageOf(`${id}.md`) }) as StoredArtifact),
      damaged: [],
    }),
    page: async (_: EligibleSet, _source: string | undefined, path: string) => (path === PAGE_NAME ? pageOf(path) : undefined),
  } as unknown as Door['snapshot'];
  return { snapshot, eligible: { compartments: [] } as unknown as EligibleSet, places: { root: '/library', sources: [] } };
}

const find = (ids: readonly string[], path: string) => findPage(doorOf(ids), { path });

describe('the short id of a passage', () => {
  it('is the passage it begins, from eight digits on', async () => {
    expect((await find([ONE, OTHER], 'ka_90ee4f17'))?.artifact?.id).toBe(OTHER);
    expect((await find([ONE, OTHER], 'ka_5b0c11d2a0'))?.artifact?.id).toBe(ONE);
    expect((await find([ONE, OTHER], OTHER))?.artifact?.id).toBe(OTHER);
    expect(await find([ONE, OTHER], 'ka_90ee4f1')).toBeUndefined();
    expect(await find([ONE, OTHER], 'ka_90ee4f18')).toBeUndefined();
  });

  it('that begins several is refused, and longer it is not', async () => {
    const words = /^ka_5b0c11d2 begins the ids of more than one passage\.$/;
    await expect(find([ONE, TWIN], 'ka_5b0c11d2')).rejects.toThrow(words);
    await expect(find([ONE, TWIN], 'ka_5b0c11d2')).rejects.toMatchObject({ code: 'artifact/ambiguous', kind: 'invalid' });
    expect((await find([ONE, TWIN], 'ka_5b0c11d2af'))?.artifact?.id).toBe(TWIN);
  });

  it('is clear where all others are hidden: the door holds none of them', async () => {
    expect((await find([ONE], 'ka_5b0c11d2'))?.artifact?.id).toBe(ONE);
    expect(await find([], 'ka_5b0c11d2')).toBeUndefined();
  });

  it('leaves a page of such a name to be found', async () => {
    expect((await find([ONE], PAGE_NAME))?.page.path).toBe(PAGE_NAME);
  });
});

describe('a name with accents', () => {
  const NFC = 'café/menü.md';
  const NFD = NFC.normalize('NFD');
  const MIXED = `${NFC.slice(0, 4)}${NFD.slice(5)}`;
  const among = async (held: readonly string[], path: string, raw = false) => {
    const page = async (_: EligibleSet, _source: string | undefined, asked: string) =>
      held.includes(asked) ? ({ source: 'docs', path: asked } as StoredArtifact['page']) : undefined;
    const door = doorOf([]);
    return (await findPage({ ...door, snapshot: { ...door.snapshot, page } as Door['snapshot'] }, { path, raw }))?.page.path;
  };

  it('finds the page whose name on disk is written the other way', async () => {
    expect(await among([NFD], NFC)).toBe(NFD);
    expect(await among([NFC], NFD)).toBe(NFC);
  });

  it('is the very one where there is one, and never guessed between two', async () => {
    expect(await among([NFC, NFD], NFC)).toBe(NFC);
    expect(await among([NFC, NFD], NFD)).toBe(NFD);
    await expect(among([NFC, NFD], MIXED)).rejects.toMatchObject({ code: 'page/look-alikes' });
  });
});
