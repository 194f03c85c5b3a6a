import { describe, expect, it } from 'vitest';
import { mineCommits, mineErrors, subjectText } from './mine-history.js';
import { asWords, type MinedPage, minePages, sentenceAround, withoutMarkup } from './mine-pages.js';
import { labelId, precisionOf, sampleOf, type WeakLabel, weakSet } from './weak-labels.js';

const page = (text: string, links: MinedPage['links'] = [], more: Partial<MinedPage> = {}): MinedPage => ({
  id: 'a.md',
  title: 'A',
  text,
  aliases: [],
  headings: [],
  links,
  ...more,
});
const link = (text: string, line: number, href = 'keys.md') => ({ text, href, line, to: 'keys.md' });
const texts = (mined: readonly WeakLabel[]) => mined.map(({ kind, text }) => `${kind}: ${text}`);

describe('mining links', () => {
  it('takes what an author says about a page', () => {
    const text =
      '# A\n\n- [Signing keys](keys.md): how they are made and rotated\n- See [keys](keys.md) for more information about losing one.\n';
    expect(texts(minePages([page(text, [link('Signing keys', 3), link('keys', 4)])]))).toEqual([
      'link: Signing keys',
      'link: how they are made and rotated',
      'link: keys',
      'link: losing one',
    ]);
  });

  it('takes a whole sentence that sends its reader on, without markup, and no more of the paragraph', () => {
    const text =
      'It is signed first.\nWhoever publishes a package needs a *pair* of\n[keys](keys.md) that is stored, e.g. in a safe, and never in a page. Then it is sent.\n';
    expect(sentenceAround(text, link('keys', 3))).toBe(
      'Whoever publishes a package needs a pair of keys that is stored, e.g. in a safe, and never in a page',
    );
    expect(texts(minePages([page(text, [link('keys', 3)])])).at(-1)).toMatch(/^mention: Whoever publishes/);
  });

  it('takes nothing from a link that only says “here”, an address, or a link to itself', () => {
    expect(minePages([page('See [here](keys.md).', [link('here', 1)])])).toEqual([]);
    expect(minePages([page('See [docs/keys.md](keys.md).', [link('docs/keys.md', 1)])])).toEqual([]);
    expect(minePages([page('See [the keys](a.md).', [{ ...link('the keys', 1, 'a.md'), to: 'a.md' }])])).toEqual([]);
  });

  it('takes headings that ask, and old names as words', () => {
    const asked = page('', [], {
      headings: ['How to rotate a key', 'Rotation', 'What if it is `lost`?'],
      aliases: ['/old/rotate-keys.html', 'Key ceremony'],
    });
    expect(texts(minePages([asked]))).toEqual([
      'heading: How to rotate a key',
      'heading: What if it is lost?',
      'alias: rotate keys',
      'alias: Key ceremony',
    ]);
    expect(asWords('getting_started')).toBe('getting_started');
    expect(withoutMarkup('**a** [b](c) `d` <br> _e_ f_g')).toBe('a b d e f_g');
  });
});

describe('mining history and code', () => {
  it('takes the subject of a commit without its prefix, and leaves chores and sweeping commits', () => {
    const commit = (subject: string, pages = ['keys.md']) => ({ id: '0123456789ab', subject, pages, files: pages.length });
    expect(subjectText('docs(keys)!: say how keys are rotated (#12).')).toBe('say how keys are rotated');
    expect(texts(mineCommits([commit('docs: say how keys are rotated (#12)')]))).toEqual(['commit: say how keys are rotated']);
    expect(mineCommits([{ ...commit('say how keys are rotated'), files: 30 }])).toEqual([]);
    expect(
      mineCommits([
        commit('fix typos in the guide'),
        commit('Bump the version of it'),
        commit('Rename'),
        commit('say much about all', ['a', 'b', 'c', 'd']),
      ]),
    ).toEqual([]);
  });

  it('takes error messages that a page quotes word for word', () => {
    const code = [
      {
        path: 'src/a.ts',
        text: 'throw new Error(`x`); throw new Error("The key ring is locked by " + who); fail("never documented at all");',
      },
    ];
    const found = mineErrors(code, [{ id: 'keys.md', text: 'When it says\n`the key ring is\nlocked by`, wait.' }]);
    expect(found).toMatchObject([{ kind: 'error', text: 'The key ring is locked by', pages: ['keys.md'], where: 'src/a.ts' }]);
  });
});

describe('a set of weak labels', () => {
  const label = (text: string, pages: string[], from: string[] = [], kind: WeakLabel['kind'] = 'link'): WeakLabel => ({
    kind,
    text,
    pages,
    from,
    where: 'x',
  });
  const names = new Map([['keys.md', ['Signing keys', 'keys']]]);

  it('EVL-03: is parted by page, and every page lies on one side', () => {
    const many = Array.from({ length: 200 }, (_, at) => label(`question number ${at}`, [`p${at % 40}.md`]));
    const { labels } = weakSet(many, new Map(), new Set());
    const sides = new Map<string, Set<string>>();
    for (const { pages, split } of labels) for (const each of pages) sides.set(each, (sides.get(each) ?? new Set()).add(split));
    expect([...sides.values()].every((side) => side.size === 1)).toBe(true);
    expect(new Set(labels.map(({ split }) => split))).toEqual(new Set(['dev', 'test']));
  });

  it('leaves out names, single words, what leads everywhere, what is taken from its own page, and what a person rejected', () => {
    const rejected = label('words nobody means', ['b.md']);
    const { labels, dropped } = weakSet(
      [
        label('the signing keys', ['keys.md']),
        label('rotation', ['keys.md']),
        label('many different places', ['1', '2', '3', '4']),
        label('how a key is rotated', ['keys.md'], ['keys.md']),
        rejected,
        label('losing a key', ['keys.md'], ['a.md']),
        label('Losing a  key', ['keys.md'], ['b.md']),
      ],
      names,
      new Set([labelId(rejected)]),
    );
    expect(labels.map(({ text, from }) => [text, from])).toEqual([['losing a key', ['a.md', 'b.md']]]);
    expect(dropped).toEqual({
      'they only say the name of the page': 1,
      'they have too few words': 1,
      'they lead to many pages': 1,
      'they were taken from the page itself': 1,
      'a person rejected them': 1,
    });
  });

  it('samples every kind in turn, the same way each time, without what was judged', () => {
    const mined = [
      ...Array.from({ length: 9 }, (_, at) => ({ id: `l${at}`, kind: 'link' as const })),
      { id: 'h', kind: 'heading' as const },
    ];
    const sample = sampleOf(mined, 4, new Set(['l3']));
    expect(sample.map(({ kind }) => kind)).toEqual(['link', 'heading', 'link', 'link']);
    expect(sampleOf([...mined].reverse(), 4, new Set(['l3']))).toEqual(sample);
    expect(sample.map(({ id }) => id)).not.toContain('l3');
  });

  it('says how sure a judged share is', () => {
    expect(precisionOf(0, 0)).toBeUndefined();
    const { share, ci95 } = precisionOf(18, 2) ?? { share: 0, ci95: { low: 0, high: 0 } };
    expect(share).toBe(0.9);
    // Wilson's interval for 18 of 20, worked out apart.
    expect(ci95.low).toBeCloseTo(0.699, 3);
    expect(ci95.high).toBeCloseTo(0.9721, 3);
  });
});
