/**
 * Step 1, extract: is this a document, and what text is in its bytes?
 *
 * Invariant: a document that is not taken in is named, with the reason; none is skipped in silence (ING-17, ING-20).
 */
import type { SourceDocument } from '../ports/connector.js';
import { type DecodedText, decode } from '../text/decode.js';
import type { Note } from './page-problems.js';

export const MAX_DOCUMENT_BYTES = 32 * 1024 * 1024;
const MAX_POINTER_BYTES = 1024;
/** A whole file as Git LFS writes it; a page that quotes one has more around it. */
const LFS_POINTER = /^version https:\/\/git-lfs\.github\.com\/spec\/v1\r?\n(?:ext-[^\n]+\n)*oid sha256:[0-9a-f]{64}\r?\nsize \d+\r?\n?$/;

/** The text, or undefined when the document is refused; `note` then holds why. */
export function extract(document: SourceDocument, note: Note): DecodedText | undefined {
  const size = document.bytes.byteLength;
  if (size > MAX_DOCUMENT_BYTES) {
    note({
      code: 'page/too-large',
      severity: 'error',
      message: `${document.path} has ${size} bytes; documents up to ${MAX_DOCUMENT_BYTES} are indexed.`,
      hint: 'Split the file, or exclude it in colophon.yaml.',
    });
    return undefined;
  }
  const decoded = decode(document.bytes);
  if (decoded.kind === 'binary') {
    note({
      code: 'page/binary',
      severity: 'error',
      message: `${document.path} holds ${decoded.nulBytes} NUL bytes and is no text.`,
      hint: 'Save it as UTF-8, or exclude it in colophon.yaml.',
    });
    return undefined;
  }
  if (size <= MAX_POINTER_BYTES && LFS_POINTER.test(decoded.text)) {
    note({
      code: 'page/lfs-pointer',
      severity: 'warning',
      message: `${document.path} is a Git LFS pointer; its content was not fetched.`,
      hint: 'Run `git lfs pull` and index again.',
    });
    return undefined;
  }
  if (decoded.replaced > 0) {
    note({
      code: 'page/decoded-with-replacement',
      severity: 'warning',
      line: decoded.firstReplacedLine,
      message: `${document.path} is not valid ${decoded.encoding.toUpperCase()}: ${decoded.replaced} characters could not be read.`,
      hint: 'Save the file as UTF-8. It is searchable apart from those characters.',
    });
  }
  return decoded;
}
