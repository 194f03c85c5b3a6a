import { expect, test } from 'vitest';
import { registrationAt } from '../../tests/support/registrations.js';
import { encloses, withEnclosing } from './overlap.js';

const at = (id: string, path: string, ref?: string) => registrationAt({ path, ...(ref === undefined ? {} : { ref }) }, { id });

test('a source encloses what lies strictly below it, in the same state of the files', () => {
  const all = at('all', '/docs');
  expect(encloses(all, at('team', '/docs/team'))).toBe(true);
  expect(encloses(all, at('near', '/docs-of-others'))).toBe(false);
  expect(encloses(all, at('same', '/docs'))).toBe(false);
  expect(encloses(all, at('pinned', '/docs/team', 'main'))).toBe(false);
});

test('a run of an inner source takes along the sources around it, whose border may have moved', () => {
  const sources = [at('all', '/docs'), at('team', '/docs/team'), at('other', '/other')];
  expect(withEnclosing(new Set(['team']), sources).map(({ id }) => id)).toEqual(['all', 'team']);
  expect(withEnclosing(new Set(['all']), sources).map(({ id }) => id)).toEqual(['all']);
});
