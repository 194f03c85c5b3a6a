import { describe, expect, it } from 'vitest';
import { registrationAt } from '../../../tests/support/registrations.js';
import { fromWorkingFolder, pathReadings } from './path-readings.js';

const places = {
  root: '/lib',
  sources: [registrationAt({ path: '/lib/docs' }, { id: 'docs' }), registrationAt({ path: '/elsewhere/wiki' }, { id: 'wiki' })],
};
const inSource = (written: string) => pathReadings(places, written).filter(({ source }) => source !== undefined);

describe('path readings', () => {
  it.each([
    ['docs/ops/', 'docs', 'ops/'],
    ['./docs/ops/keys.md', 'docs', 'ops/keys.md'],
    ['/lib/docs/ops/keys.md', 'docs', 'ops/keys.md'],
    ['/lib/docs', 'docs', ''],
    ['/elsewhere/wiki/a/', 'wiki', 'a/'],
    ['../elsewhere/wiki/a.md', 'wiki', 'a.md'],
    ['wiki:a.md', 'wiki', 'a.md'],
    ['wiki a.md', 'wiki', 'a.md'],
    ['wiki a b.md', 'wiki', 'a b.md'],
    ['wiki/', 'wiki', ''],
  ])('%s lies in %s as %s', (written, source, path) => {
    expect(inSource(written)).toContainEqual({ source, path });
  });

  it('takes what is written at its word first', () => {
    expect(pathReadings(places, 'docs/a.md')[0]).toEqual({ source: undefined, path: 'docs/a.md' });
  });

  it('reads a space as the end of a source last, after a page of that very name', () => {
    expect(pathReadings(places, 'wiki a.md').at(-1)).toEqual({ source: 'wiki', path: 'a.md' });
    expect(pathReadings(places, 'other a.md').filter(({ path }) => path === 'a.md')).toEqual([]);
  });

  it.each(['/etc/passwd', '../secret.md', '..', '/lib/docs/../x.md', 'docs2/a.md', ''])('%s lies in no source', (written) => {
    expect(inSource(written)).toEqual([]);
  });

  it('starts ./ where it is typed, below the root', () => {
    expect(fromWorkingFolder(places, '/lib/docs/ops', './keys.md')).toBe('/lib/docs/ops/keys.md');
    expect(fromWorkingFolder(places, '/lib/docs/ops', '../')).toBe('/lib/docs/');
    expect(fromWorkingFolder(places, '/lib/docs/ops', '.')).toBe('/lib/docs/ops/');
    expect(fromWorkingFolder(places, '/lib/docs/ops', 'keys.md')).toBe('keys.md');
    expect(fromWorkingFolder(places, '/lib', './docs/keys.md')).toBe('./docs/keys.md');
    expect(fromWorkingFolder(places, '/home', './docs/keys.md')).toBe('./docs/keys.md');
  });
});
