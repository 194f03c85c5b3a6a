import { expect, it } from 'vitest';
import { pointedAt } from './pointed-commands.js';

it.each([
  [
    'Run `colophon doctor --repair`; then `colophon index`.',
    'Run `colophon doctor --repair --root "a b"`; then `colophon index --root "a b"`.',
  ],
  ['Ask `colophon "your question"`.', 'Ask `colophon --root "a b" "your question"`.'],
  ['Run `colophon index --root FOLDER`.', 'Run `colophon index --root FOLDER`.'],
  ['Write `colophon -- ` before it.', 'Write `colophon -- ` before it.'],
  ['Name it: `colophon ./docs "your question"`.', 'Name it: `colophon ./docs "your question"`.'],
])('%s', (text, pointed) => {
  expect(pointedAt(text, 'a b')).toBe(pointed);
  expect(pointedAt(text, undefined)).toBe(text);
});

it.each([
  ['docs', 'docs'],
  ['my docs', '"my docs"'],
  ['$HOME `x`', "'$HOME `x`'"],
  ["it's $5", `'it'\\''s $5'`],
])('the shell reads %s back from what is written', (root, written) => {
  expect(pointedAt('`colophon why`', root)).toBe(`\`colophon why --root ${written}\``);
});
