import { describe, expect, it } from 'vitest';
import { type FrontMatter, readFrontMatter } from './front-matter.js';

const page = (block: string, body = 'Body.\n') => `---\n${block}\n---\n${body}`;

function fields(read: FrontMatter): Record<string, unknown> {
  if (read.kind !== 'fields' && read.kind !== 'broken') throw new Error(`no fields in ${read.kind}`);
  return Object.fromEntries(
    read.fields.map(({ key, value }) => [key, value.kind === 'text' ? value.text : value.kind === 'list' ? value.items : value.kind]),
  );
}

describe('readFrontMatter', () => {
  it("keeps the author's spelling of what YAML would turn into something else", () => {
    const read = readFrontMatter(page('v: 1.10\ncode: 007\nanswer: no\nat: 22:30\nday: 2026-03-01\nhex: 0x1F\nbig: 1e3\nempty:\nnull: ~'));
    expect(fields(read)).toMatchObject({
      v: '1.10',
      code: '007',
      answer: 'no',
      at: '22:30',
      day: '2026-03-01',
      hex: '0x1F',
      big: '1e3',
      empty: 'empty',
    });
  });

  it('reads lists in both forms, nested mappings by dotted keys, and block scalars with dashes in them', () => {
    const read = readFrontMatter(page('tags: [dev, ops,]\nseen:\n- role:a\n- b\nby:\n  name: Ann\ntext: |\n  one\n  ---\n  two\nend: x'));
    expect(fields(read)).toMatchObject({ tags: ['dev', 'ops'], seen: ['role:a', 'b'], 'by.name': 'Ann', text: 'one\n---\ntwo', end: 'x' });
  });

  it('shows the keys that stand in a list or under a tag, without a value', () => {
    const read = readFrontMatter(page('a:\n- b: 1\n  c: 2\n- b: 3\n  d: [{e: 4}]\nf: !!map {g: 5}'));
    const listed = read.kind === 'fields' ? read.fields.filter(({ key }) => key.includes('.')) : [];
    expect(listed.map(({ key, line }) => `${key} ${line}`)).toEqual(['a.0.b 3', 'a.0.c 4', 'a.1.b 5', 'a.1.d 6', 'a.1.d.0.e 6', 'f.g 7']);
    expect(new Set(listed.map(({ value }) => value.kind))).toEqual(new Set(['unreadable']));
  });

  it('opens only at the very start and closes at the next line that is --- or ...', () => {
    expect(readFrontMatter('\n---\na: b\n---\n').kind).toBe('none');
    expect(readFrontMatter('text\n---\na: b\n---\n').kind).toBe('none');
    const read = readFrontMatter('---\ntitle: "A --- b"\n...\n---\nowner: nobody\n---\n');
    expect(fields(read)).toEqual({ title: 'A --- b' });
    expect(read.bodyStart).toBe('---\ntitle: "A --- b"\n...\n'.length);
  });

  it('takes a letterhead, a list, two rules and an empty block for what they are', () => {
    expect(readFrontMatter('---\n**HARBOUR BOARD**\nRoom 12\n---\nText')).toMatchObject({ kind: 'not-yaml', bodyStart: 0 });
    expect(readFrontMatter('---\n- a\n- b\n---\nText')).toMatchObject({ kind: 'not-yaml', bodyStart: 0 });
    expect(readFrontMatter('---\n\nA slide.\n\n---\n')).toEqual({ kind: 'none', bodyStart: 0 });
    expect(readFrontMatter('---\n---\nText')).toEqual({ kind: 'fields', bodyStart: 8, fields: [] });
  });

  it('names line and reason of a block that cannot be read, and what it would have held', () => {
    const colon = readFrontMatter(page('status: current\ntitle: Locks: opening'));
    expect(colon).toMatchObject({ kind: 'broken', line: 3, fields: [], block: expect.stringContaining('title: Locks') });
    const tab = readFrontMatter(page('a:\n\tb: c'));
    expect(tab).toMatchObject({ kind: 'broken', line: 3 });
    expect(readFrontMatter('---\nclassification: restricted\nNo end.')).toMatchObject({
      kind: 'not-yaml',
      reason: 'the block is never closed',
    });
  });

  it('names a repeated key when it is a short identifier, and no other', () => {
    expect(readFrontMatter(page('owner: a\nowner: b'))).toMatchObject({ reason: 'the key owner stands more than once' });
    for (const key of ['ignore all rules', 'x'.repeat(41), '"a\\nb"'])
      expect(readFrontMatter(page(`${key}: 1\n${key}: 2`))).toMatchObject({ kind: 'broken', reason: 'a key stands more than once' });
  });

  it('keeps the fields that stand once when a key is repeated', () => {
    const read = readFrontMatter(page('title: A\ntags: [x]\ndescription: old\ndescription: new'));
    expect(read).toMatchObject({ kind: 'broken', line: 5 });
    expect(fields(read)).toEqual({ title: 'A', tags: ['x'] });
  });

  it('refuses aliases and tags field by field', () => {
    const read = readFrontMatter(page('a: !!js/function "x"\nb: !thing c\nc: &x y\nd: *x\ne: fine'));
    expect(fields(read)).toEqual({ a: 'unreadable', b: 'unreadable', c: 'y', d: 'unreadable', e: 'fine' });
  });
});

describe('T8.8 hostile front matter', () => {
  const many = (count: number, line: (index: number) => string) => Array.from({ length: count }, (_, index) => line(index)).join('\n');
  const hostile: readonly (readonly [string, string])[] = [
    ['an alias bomb', `a: &a [x, x]\n${many(25, (i) => `b${i}: &b${i} [*${i === 0 ? 'a' : `b${i - 1}`}, *a]`)}`],
    ['brackets 20,000 deep', `a: ${'['.repeat(20_000)}`],
    ['brackets behind quoted brackets', `a: ${'["]",'.repeat(9000)}`],
    ['dashes 20,000 deep', `a:\n  ${'- '.repeat(20_000)}`],
    ['questions 20,000 deep', '? '.repeat(20_000)],
    ['blocks 200 deep', many(200, (i) => `${' '.repeat(i)}a:`)],
    ['15,000 repeated keys', many(15_000, (i) => `a${i % 7}:`)],
    ['30,000 keys in one line', `{${'a,'.repeat(30_000)}}`],
    ['7,000 errors', 'a: b: c\n'.repeat(7000)],
    ['a value of 1 MB', `a: ${'x'.repeat(1_000_000)}`],
    ['an endless quote', `a: "${'x'.repeat(60_000)}`],
    ['bad escapes', `a: "${'\\x'.repeat(30_000)}"`],
    ['20,000 anchors', '&a '.repeat(20_000)],
    ['20,000 tags', `a: ${'!a '.repeat(20_000)}`],
    ['a call in a tag', 'a: !!js/function "process.exit(1)"\nb: !!python/object/apply:os.system ["exit"]'],
    ['keys of the prototype', '__proto__: {polluted: yes}\nconstructor: {prototype: {polluted: yes}}'],
    ['a merge', 'a: &a {b: c}\n<<: *a'],
    ['a directive', '%YAML 9.9\na: b'],
    ['60,000 blank lines', `${'\n'.repeat(60_000)}a: b`],
    ['60,000 colons', ':'.repeat(60_000)],
  ];

  it.each(hostile)('takes %s in little time, runs nothing and throws nothing', (_, block) => {
    const started = process.cpuUsage();
    const read = readFrontMatter(page(block));
    const { user, system } = process.cpuUsage(started);
    expect(['none', 'fields', 'not-yaml', 'broken']).toContain(read.kind);
    expect((user + system) / 1000).toBeLessThan(10_000);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('refuses what is too long, too deep or too much by name', () => {
    expect(readFrontMatter(page(`a: ${'x'.repeat(70_000)}`))).toMatchObject({ kind: 'broken', reason: expect.stringContaining('64 KiB') });
    expect(readFrontMatter(page(`a: ${'['.repeat(21)}${']'.repeat(21)}`))).toMatchObject({
      kind: 'broken',
      reason: expect.stringContaining('20 levels'),
    });
    expect(readFrontMatter(page(`a: ${'['.repeat(15)}x${']'.repeat(15)}`)).kind).toBe('fields');
  });
});
