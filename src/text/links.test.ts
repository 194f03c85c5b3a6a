import { describe, expect, it } from 'vitest';
import { resolveLink, resolveRelated, resolveWikiLink } from './links.js';

const pathsOf = (href: string, page = 'a/b/page.md') => {
  const { target } = resolveLink(href, page);
  return target.to === 'page' ? target.paths : target.to;
};

describe('resolveLink', () => {
  it('is relative to the page, or to the root with a slash', () => {
    expect(pathsOf('x.md')).toEqual(['a/b/x.md']);
    expect(pathsOf('../x.md#part')).toEqual(['a/x.md']);
    expect(pathsOf('./c/../x.md?raw=1')).toEqual(['a/b/x.md']);
    expect(pathsOf('/x.md')).toEqual(['x.md']);
  });

  it('decodes once and falls back to the form as written', () => {
    expect(pathsOf('../my%20notes.md')).toEqual(['a/my notes.md', 'a/my%20notes.md']);
    expect(pathsOf('100%.md')).toEqual(['a/b/100%.md']);
    expect(pathsOf('50%2525.md')).toEqual(['a/b/50%25.md', 'a/b/50%2525.md']);
  });

  it('offers what a name without an ending or a folder can stand for', () => {
    expect(pathsOf('guide')).toEqual(expect.arrayContaining(['a/b/guide', 'a/b/guide.md', 'a/b/guide/index.md', 'a/b/guide/README.md']));
    expect(pathsOf('guide/')).toEqual(expect.arrayContaining(['a/b/guide/index.md', 'a/b/guide.md']));
    expect(pathsOf('..')).toEqual(expect.arrayContaining(['a/README.md']));
    expect(pathsOf('x.html')).toEqual(expect.arrayContaining(['a/b/x.md']));
  });

  it('never leaves the source: above its root, other schemes and assets are external', () => {
    for (const href of ['../../../etc/passwd.md', 'https://x.test/a.md', 'mailto:a@b.test', '//x.test/a', 'pic.png', 'data:text/plain,x']) {
      expect(pathsOf(href)).toBe('external');
    }
    expect(pathsOf('..%2F..%2F..%2Fx.md')).toEqual(['a/b/..%2F..%2F..%2Fx.md']);
  });

  it('keeps the fragment', () => {
    expect(resolveLink('#%C3%BCber', 'a.md')).toEqual({ target: { to: 'self' }, anchor: 'über' });
    expect(resolveLink('x.md#a', 'a.md').anchor).toBe('a');
  });
});

describe('names', () => {
  it('reads wiki links with heading', () => {
    expect(resolveWikiLink('b/Lock log#L2')).toEqual({ target: { to: 'name', name: 'b/Lock log' }, anchor: 'L2' });
    expect(resolveWikiLink('#Here')).toEqual({ target: { to: 'self' }, anchor: 'Here' });
  });

  it('reads related values as paths when they look like one, beside the page and from the root', () => {
    expect(resolveRelated('x.md', 'a/p.md').target).toEqual({ to: 'page', paths: ['a/x.md', 'x.md'] });
    expect(resolveRelated('Rates', 'a/p.md').target).toEqual({ to: 'name', name: 'Rates' });
  });
});
