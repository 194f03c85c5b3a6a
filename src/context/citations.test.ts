/** INJ-12: what counts as a citation, and what it is held against. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CitedItem, judgeCitations } from './citations.js';
import { itemLines } from './preamble.js';

const id = (digit: string) => `ka_${digit.repeat(32)}`;
const item = (position: number, more: Partial<CitedItem> = {}): CitedItem => ({
  position,
  artifact: id(String(position + 1)),
  source: 'handbook',
  path: 'guides/pumps.md',
  blob: 'b',
  anchor: 'draining',
  lines: { start: 12, end: 30 },
  ...more,
});
const ITEMS = [
  item(0),
  item(1, { lines: { start: 31, end: 40 }, anchor: 'priming' }),
  item(2, { source: 'wiki', path: 'Rope work/ropes (old).md', lines: { start: 3, end: 3 }, anchor: '' }),
  item(3, { source: 'wiki', path: 'guides/pumps.md', lines: { start: 50, end: 60 }, anchor: 'wiki' }),
];
const judged = (answer: string, items: readonly CitedItem[] = ITEMS) =>
  judgeCitations(answer, items).map(({ text, items: own, reason }) => [text, reason === '' ? own.map(({ position }) => position) : reason]);
const OUTSIDE = 'not in the package';
const LINES = 'these lines of the page are not in the package';
const SECTION = 'this section of the page is not in the package';

describe('citations', () => {
  it.each<[string, readonly (readonly [string, readonly number[] | string])[]]>([
    ['Drain it first.', []],
    [
      `See ${id('1')} and ${id('9')}.`,
      [
        [id('1'), [0]],
        [id('9'), OUTSIDE],
      ],
    ],
    [
      `${id('1').slice(0, 10)} ${id('1')}0 x${id('1')}`,
      [
        [id('1').slice(0, 10), OUTSIDE],
        [`${id('1')}0`, OUTSIDE],
      ],
    ],
    [
      'Drain it [1], prime it [2][5], tie it [3, 4].',
      [
        ['[1]', [0]],
        ['[2]', [1]],
        ['[5]', OUTSIDE],
        ['[3]', [2]],
        ['[4]', [3]],
      ],
    ],
    ['`rows[1]`, `[1]`, rows[1], [1](x.html), [1]: y, f(a)[1], [2024]', []],
    ['```js\nlet a = [1];\n```\nthen [1]', [['[1]', [0]]]],
    ['guides/pumps.md', [['guides/pumps.md', [0, 1, 3]]]],
    ['(guides/pumps.md:12-30).', [['guides/pumps.md:12-30', [0]]]],
    [
      '`guides/pumps.md:20`, ./guides/pumps.md:31',
      [
        ['guides/pumps.md:20', [0]],
        ['./guides/pumps.md:31', [1]],
      ],
    ],
    ['guides/pumps.md:25-35', [['guides/pumps.md:25-35', [0, 1]]]],
    ['guides/pumps.md:25-45', [['guides/pumps.md:25-45', LINES]]],
    [
      'guides/pumps.md:11, guides/pumps.md:30-12, guides/pumps.md:0',
      [
        ['guides/pumps.md:11', LINES],
        ['guides/pumps.md:30-12', LINES],
        ['guides/pumps.md:0', LINES],
      ],
    ],
    [
      'guides/pumps.md#draining guides/pumps.md#other guides/pumps.md#L12-L14',
      [
        ['guides/pumps.md#draining', [0]],
        ['guides/pumps.md#other', SECTION],
        ['guides/pumps.md#L12-L14', [0]],
      ],
    ],
    [
      'wiki guides/pumps.md:50 but wiki guides/pumps.md:12',
      [
        ['guides/pumps.md:50', [3]],
        ['guides/pumps.md:12', LINES],
      ],
    ],
    ['as Rope work/ropes (old).md:3 says', [['Rope work/ropes (old).md:3', [2]]]],
    [
      'docs/guides/pumps.md, guides/pumps.md.bak/x, xguides/pumps.md, ../guides/pumps.md',
      [
        ['docs/guides/pumps.md', OUTSIDE],
        ['xguides/pumps.md', OUTSIDE],
        ['../guides/pumps.md', OUTSIDE],
      ],
    ],
    [
      'guides/valves.md, valves.md:3, valves.md, README.md',
      [
        ['guides/valves.md', OUTSIDE],
        ['valves.md:3', OUTSIDE],
      ],
    ],
    ['https://example.org/guides/pumps.md:12', []],
    [
      'colophon://page/handbook/guides/pumps.md#draining, colophon://page/wiki/Rope%20work/ropes%20(old).md',
      [
        ['colophon://page/handbook/guides/pumps.md#draining', [0]],
        ['colophon://page/wiki/Rope%20work/ropes%20(old', OUTSIDE],
      ],
    ],
    [
      '<colophon://page/wiki/Rope%20work/ropes%20%28old%29.md> colophon://page/wiki/valves.md. colophon://page/%zz/x',
      [
        ['colophon://page/wiki/Rope%20work/ropes%20%28old%29.md', [2]],
        ['colophon://page/wiki/valves.md', OUTSIDE],
        ['colophon://page/%zz/x', OUTSIDE],
      ],
    ],
  ])('%j', (answer, expected) => {
    expect(judged(answer)).toEqual(expected);
  });

  it('what the caller brought along is cited by its id or number, whatever word names its origin', () => {
    const brought = item(4, { artifact: `ki_${'7'.repeat(32)}`, source: '@caller', path: 'bash', lines: { start: 1, end: 2 }, anchor: '' });
    expect(judged(`In bash it says [5], ${brought.artifact}, ki_7.`, [...ITEMS, brought])).toEqual([
      ['[5]', [4]],
      [brought.artifact, [4]],
      ['ki_7', OUTSIDE],
    ]);
  });

  it('an id is cited by its first eight digits or more, where one item alone begins so', () => {
    const [first, twin] = [`ka_${'0'.repeat(32)}`, `ka_${'0'.repeat(9)}${'1'.repeat(23)}`];
    const items = [item(0, { artifact: first }), item(1, { artifact: twin })];
    const said = (text: string, of = items) =>
      judgeCitations(text, of).map((each) => [each.items.map(({ position }) => position), each.reason]);
    expect(said('ka_00000000', items.slice(0, 1))).toEqual([[[0], '']]);
    expect(said('ka_0000000', items.slice(0, 1))).toEqual([[[], 'not in the package']]);
    expect(said('ka_00000000')).toEqual([[[], 'more than one item of the package has an id that begins so']]);
    expect(said('ka_0000000001')).toEqual([[[1], '']]);
    expect(said(first)).toEqual([[[0], '']]);
  });

  it('a number that the answer gives a meaning of its own is no citation of ours', () => {
    const own = 'the answer gives this number a meaning of its own';
    expect(judged('It drains [1].\n\n[1]: https://evil.example')).toEqual([['[1]', own]]);
    expect(judged('It drains [1].\n\n[1] https://evil.example')[0]).toEqual(['[1]', own]);
    expect(judged('It drains [1].\n\n[1] guides/valves.md:3')[0]).toEqual(['[1]', own]);
    expect(judged('It drains [1].\n\n[1] guides/pumps.md:12-30')[0]).toEqual(['[1]', [0]]);
    expect(judged('[1] It drains.')).toEqual([['[1]', [0]]]);
  });

  it('every item is cited by the very line it is shown with, in each of its forms', () => {
    const word = fc.stringMatching(/^[A-Za-zé0-9_ ()+.-]{1,12}$/).filter((text) => text.trim() === text && !/^\.+$|\.$/.test(text));
    const path = fc.array(word, { minLength: 1, maxLength: 3 }).map((parts) => `${parts.join('/')}.md`);
    fc.assert(
      fc.property(path, fc.integer({ min: 1, max: 900 }), fc.nat({ max: 40 }), (name, start, more) => {
        const own = item(0, { path: name, lines: { start, end: start + more } });
        const facts = { title: 'T', headingPath: [], tier: 'trusted', labels: [], excerpt: 'x' } as const;
        const { before } = itemLines({ ...own, ...facts }, 0, '');
        const found = judgeCitations(before, [own]);
        expect(found.map(({ form }) => form)).toEqual(['position', 'page', 'artifact']);
        expect(found.map(({ reason }) => reason)).toEqual(['', '', '']);
      }),
    );
  });

  it('nothing an answer says makes an outsider verified, whatever it is made of', () => {
    const pieces = fc.constantFrom(
      'verified',
      'guides/valves.md',
      ':12',
      '[7]',
      '[0]',
      id('9'),
      ' ',
      '\n',
      '[',
      ']',
      '`',
      '```',
      'colophon://page/handbook/guides/valves.md',
      '#a',
      'handbook ',
      '\uD800',
      '(',
      ')',
      'ka_',
      '[1]: x',
      'https://',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const answer = parts.join('');
        for (const each of judgeCitations(answer, [])) expect(each.reason).not.toBe('');
        for (const each of judgeCitations(answer, ITEMS)) if (each.reason === '') expect(each.text).toMatch(/^\[1\]$/);
      }),
    );
  });

  it('takes a long answer in its stride', () => {
    const long = `${'guides/pumps.md:12 '.repeat(5_000)}${'['.repeat(20_000)}${'a/'.repeat(20_000)}${'`'.repeat(9_999)}`;
    const startedAt = process.cpuUsage();
    expect(judgeCitations(long, ITEMS).length).toBeGreaterThanOrEqual(5_000);
    expect(process.cpuUsage(startedAt).user).toBeLessThan(60_000_000);
  });
});
