import { expect, test } from 'vitest';
import { inert, inertLine, jsonText, onlyOwnSequences } from './inert.js';

const NASTY = 'a\x1b]0;PWNED\x07\x9b2J\u202Eb\u{E0041}\u2066\x7f\u200B.md';
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must be gone
const OBEYED = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}\u200B]/u;

test('what steers a terminal, or hides and reorders words, is shown as a sign', () => {
  expect(inert(NASTY)).toBe('a␛]0;PWNED␇\\x9B2J\\u{202E}b\\u{E0041}\\u{2066}␡\\u{200B}.md');
  expect(inert('two\nlines\tand a column')).toBe('two\nlines\tand a column');
});

test('a line feed in a name forges no second line', () => {
  expect(inertLine('a\n✗ all is lost\r\nb\u2028c')).toBe('a␊✗ all is lost␍␊b\\u{2028}c');
});

test('joined letters and pictures stay as they are spelled', () => {
  for (const text of ['👩‍💻', 'می‌خواهم', '❤️', 'héllo 你好']) expect(inert(text)).toBe(text);
});

test('JSON is the same value, in characters no terminal obeys', () => {
  const value = { path: NASTY, text: 'x\ny' };
  expect(JSON.parse(jsonText(value, 2))).toEqual(value);
  expect(JSON.parse(jsonText(value))).toEqual(value);
  expect(jsonText(value)).not.toMatch(OBEYED);
});

test('the last gate lets colours through and nothing else', () => {
  expect(onlyOwnSequences('\x1b[31mred\x1b[39m \r\x1b[2Kagain\n')).toBe('\x1b[31mred\x1b[39m \r\x1b[2Kagain\n');
  expect(onlyOwnSequences('\x1b[8mhidden\x1b[2J\x1b]0;t\x07\u202E')).toBe('␛[8mhidden␛[2J␛]0;t␇\\u{202E}');
});
