/**
 * Step 2, sanitize: what of the text may be kept at all?
 *
 * Before anything is parsed, so that nothing unseen can steer the parser: dangerous code points, secrets and encoded payloads go,
 * and what stands from here on is the text as served (ING-11, ING-12, T2.10).
 *
 * Invariant: no secret goes past this step.
 * Invariant: line numbers are those of the file, and every offset leads back to the file's bytes.
 */
import type { SecretRange, SecretScanner } from '../ports/secret-scanner.js';
import type { DecodedText } from '../text/decode.js';
import { applyEdits, composed, type Edit, keepingLines, LineIndex, offsetsBefore } from '../text/decode-edits.js';
import { blobEdits } from '../text/outline-safety.js';
import { cleanExcerpt } from '../text/sanitize.js';
import type { Note } from './page-problems.js';

export interface SafeText {
  readonly text: string;
  readonly lines: LineIndex;
  readonly removals: Readonly<Record<string, number>>;
  /** Bytes of the file that a range of `text` stands for. */
  bytes(start: number, end: number): { readonly start: number; readonly end: number };
}

/** Secrets named one by one on a page; the rest is counted. */
const MAX_SECRETS_NAMED = 20;
/** Unseen characters of the harmless kinds that a page may have before somebody should look. */
const MANY_UNSEEN = 16;

export async function sanitize(decoded: DecodedText, scanner: SecretScanner, note: Note): Promise<SafeText> {
  const clean = cleanExcerpt(decoded.text);
  const secrets = await scanner.scan(clean.text);
  const masks = maskEdits(clean.text, secrets, blobEdits(clean.text));
  const text = masks.edits.length === 0 ? clean.text : applyEdits(clean.text, masks.edits);
  const origin = composed(clean.origin, offsetsBefore(masks.edits));
  const lines = new LineIndex(text);
  const removals: Record<string, number> = { ...clean.removals };
  count(removals, 'secret', masks.secrets.length);
  count(removals, 'data', masks.edits.length - masks.secrets.length);
  noteUnseen(clean.removals, clean.hiddenAt === undefined ? undefined : new LineIndex(clean.text).lineAt(clean.hiddenAt), note);
  noteSecrets(masks.secrets, new LineIndex(clean.text), note);
  const bytes = (start: number, end: number) => ({
    start: decoded.byteOffset(origin.start(start)),
    end: decoded.byteOffset(origin.end(end)),
  });
  return { text, lines, removals, bytes };
}

function count(removals: Record<string, number>, kind: string, number: number): void {
  if (number > 0) removals[kind] = number;
}

interface Masks {
  readonly edits: readonly Edit[];
  readonly secrets: readonly SecretRange[];
}

export function secretMask(kind: string): string {
  return `[secret removed: ${kind}]`;
}

/** A payload that holds what looks like a key is a payload; a key block that holds base64 is a key. Half and half is a key. */
function maskEdits(text: string, secrets: readonly SecretRange[], blobs: readonly Edit[]): Masks {
  const free = secrets.filter((secret) => !blobs.some((blob) => blob.start <= secret.start && secret.end <= blob.end));
  const merged: { start: number; end: number; kind?: string; text?: string }[] = [];
  const ranges = [...free, ...blobs.map(({ start, end, text: marker }) => ({ start, end, text: marker }))];
  for (const range of ranges.sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (last === undefined || range.start >= last.end) merged.push({ ...range });
    else {
      last.end = Math.max(last.end, range.end);
      if ('kind' in range) last.kind ??= range.kind;
    }
  }
  const edits = merged.map(({ start, end, kind, text: marker }) =>
    keepingLines(text, start, end, kind === undefined ? (marker ?? '') : secretMask(kind)),
  );
  return { edits, secrets: merged.flatMap(({ start, end, kind }) => (kind === undefined ? [] : [{ start, end, kind }])) };
}

function noteSecrets(secrets: readonly SecretRange[], lines: LineIndex, note: Note): void {
  for (const { start, kind } of secrets.slice(0, MAX_SECRETS_NAMED)) {
    note({
      code: 'page/secret-masked',
      severity: 'warning',
      line: lines.lineAt(start),
      message: `A secret (${kind}) was masked.`,
      hint: 'Remove it from the document and replace the credential: whoever can read the source has it.',
    });
  }
  if (secrets.length > MAX_SECRETS_NAMED) {
    note({
      code: 'page/secret-masked',
      severity: 'warning',
      message: `${secrets.length - MAX_SECRETS_NAMED} further secrets were masked.`,
      hint: 'Remove them from the document and replace the credentials.',
    });
  }
}

function noteUnseen(removals: Readonly<Record<string, number>>, line: number | undefined, note: Note): void {
  const harmless = (removals['invisible'] ?? 0) + (removals['joiner'] ?? 0);
  if (line === undefined && harmless < MANY_UNSEEN) return;
  const found = Object.entries(removals)
    .filter(([kind]) => kind !== 'chat-token' && kind !== 'control')
    .map(([kind, number]) => `${number} ${kind}`);
  note({
    code: 'page/hidden-text',
    severity: 'warning',
    line,
    message: `Characters that no reader sees were taken out: ${found.join(', ')}.`,
    hint: 'They can carry hidden instructions. Look at the page with an editor that shows them, and remove them at the source.',
  });
}
