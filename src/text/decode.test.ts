import { describe, expect, it } from 'vitest';
import { type DecodedText, decode } from './decode.js';

function text(bytes: Uint8Array): DecodedText {
  const decoded = decode(bytes);
  if (decoded.kind !== 'text') throw new Error('expected text');
  return decoded;
}

function utf16(value: string, order: 'le' | 'be', mark: boolean): Uint8Array {
  const bytes = Buffer.from((mark ? '\ufeff' : '') + value, 'utf16le');
  return order === 'be' ? bytes.swap16() : bytes;
}

describe('decode', () => {
  it.each([
    ['UTF-8', Buffer.from('# Fähre\nöffnet'), 'utf-8'],
    ['UTF-8 with a mark', Buffer.from('\ufeff# Fähre\nöffnet'), 'utf-8'],
    ['UTF-16 little-endian', utf16('# Fähre\nöffnet', 'le', true), 'utf-16le'],
    ['UTF-16 big-endian', utf16('# Fähre\nöffnet', 'be', true), 'utf-16be'],
    ['UTF-16 without a mark', utf16('# Fähre\nöffnet', 'le', false), 'utf-16le'],
  ])('reads %s', (_, bytes, encoding) => {
    expect(text(bytes)).toMatchObject({ text: '# Fähre\nöffnet', encoding, replaced: 0 });
  });

  it('reads Latin-1 with replacements and says on which line they begin', () => {
    const decoded = text(Buffer.from('plain\ncaf\xe9 and \xfcber\n', 'latin1'));
    expect(decoded).toMatchObject({ text: 'plain\ncaf\ufffd and \ufffdber\n', replaced: 2, firstReplacedLine: 2 });
  });

  it('does not count replacement characters the author wrote', () => {
    expect(text(Buffer.from('a \ufffd b')).replaced).toBe(0);
  });

  it('ING-20 names what is no text, and forgives one stray NUL in a page', () => {
    expect(decode(Buffer.from([0x89, 0x50, 0, 0, 0, 0x0d, 0, 0, 1]))).toEqual({ kind: 'binary', nulBytes: 5 });
    expect(decode(Buffer.from([0xff, 0xfe, 0, 0, 65, 0, 0, 0])).kind).toBe('binary');
    expect(text(Buffer.from(`${'a live page. '.repeat(100)}\0 more`)).text).toContain('\0 more');
  });

  it.each([
    ['ASCII', 'one\ntwo three'],
    ['several bytes a character', 'é\n日本 🚢 x\nß'],
  ])('ART-06 leads every offset of %s to its byte', (_, value) => {
    for (const mark of ['', '\ufeff']) {
      const bytes = Buffer.from(mark + value);
      const decoded = text(bytes);
      for (let at = 0; at <= value.length; at += 1) {
        if (/[\udc00-\udfff]/.test(value[at] ?? '')) continue;
        expect(bytes.subarray(decoded.byteOffset(at)).toString()).toBe(value.slice(at));
      }
      expect(decoded.byteOffset(0)).toBe(mark === '' ? 0 : 3);
    }
  });

  it('ART-06 leads offsets of UTF-16 to their bytes', () => {
    expect(text(utf16('ab\ncd', 'le', true)).byteOffset(3)).toBe(8);
  });

  it('keeps line starts exact after an invalid byte', () => {
    const bytes = Buffer.from('caf\xe9\nnext', 'latin1');
    const decoded = text(bytes);
    expect(decoded.byteOffset(decoded.text.indexOf('next'))).toBe(5);
  });
});
