import { describe, expect, test } from 'vitest';
import { globExpectation, globMatcher, isGlob } from './glob.js';

const matched = (glob: string, ...paths: string[]) => paths.filter(globMatcher([glob]));

describe('what a glob matches', () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ['a.md', ['a.md'], ['b/a.md', 'aXmd', 'a.mdx']],
    ['*.md', ['a.md', '.hidden.md'], ['a/b.md', 'a.txt']],
    ['docs/*', ['docs/a', 'docs/.b'], ['docs', 'docs/', 'docs/a/b']],
    ['docs/**', ['docs', 'docs/', 'docs/a', 'docs/a/b/c.md'], ['docsy/a', 'a/docs/b']],
    ['**/x.md', ['x.md', 'a/x.md', 'a/b/x.md'], ['ax.md', 'a/x.mdx']],
    ['a/**/b/**/c', ['a/b/c', 'a/q/b/r/s/c', 'a/b/b/c'], ['a/c', 'a/b', 'b/c']],
    ['a/v?.md', ['a/v1.md'], ['a/v.md', 'a/v12.md', 'a/v/.md']],
    ['v[0-9][!a].md', ['v1b.md'], ['va1.md', 'v1a.md']],
    ['{a,b/{c,d}}/*.md', ['a/x.md', 'b/c/x.md', 'b/d/x.md'], ['b/x.md', 'c/x.md']],
    ['{a}.md', ['{a}.md'], ['a.md']],
    ['\\*\\(1\\).md', ['*(1).md'], ['x(1).md']],
    ['!private/**', ['public/a', 'a'], ['private/a']],
    ['a**b', ['ab', 'axxb'], ['a/b']],
    ['[open', ['[open'], ['o']],
  ])('%s', (glob, yes, no) => {
    expect(matched(glob, ...yes, ...no)).toEqual(yes);
    if (!glob.startsWith('!')) expect(isGlob(glob)).toBe(!['a.md', '{a}.md', '\\*\\(1\\).md', '[open'].includes(glob));
  });

  test('any of several is enough, and a mark of exclamation may be a character', () => {
    expect(['a', 'b', 'c'].filter(globMatcher(['a', 'b']))).toEqual(['a', 'b']);
    expect(['!a', 'b'].filter(globMatcher(['!a'], { negate: false }))).toEqual(['!a']);
  });
});

describe('patterns made to be slow', () => {
  test('many stars over a name that almost fits are answered at once', () => {
    const glob = `${'*a'.repeat(200)}*b`;
    const started = performance.now();
    expect(matched('*a*a*a*a*a*a*a*a*a*a*a*a*b', 'a'.repeat(60))).toEqual([]);
    expect(matched(glob, 'a'.repeat(4_000))).toEqual([]);
    expect(matched(`${'**/a/'.repeat(40)}b`, 'a/'.repeat(2_000))).toEqual([]);
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  test.each([
    ['(a+)+$', 'without `(`'],
    ['+(a|b)', 'without `(`'],
    [`${'x'.repeat(200)}*`, 'at most 200 characters'],
    ['*a'.repeat(17), 'at most 16 wildcards'],
    ['{a,b}{a,b}{a,b}{a,b}{a,b}', 'at most 4 braces'],
    ['{a,b,c,d}{a,b,c,d}{a,b,c,d}{a,b,c,d}', 'at most 64 alternatives'],
    ['v{1..9}', 'no range'],
  ])('%s is refused', (glob, why) => expect(globExpectation(glob)).toContain(why));

  test('a path spelled out may be long, and ordinary globs are fine', () => {
    for (const glob of ['x'.repeat(300), 'docs/**/*.{md,mdx}', 'a \\(1\\).md', '*a*a*a*a*a*a*a*a*a*a*a*a*b']) {
      expect(globExpectation(glob)).toBeUndefined();
    }
  });
});
