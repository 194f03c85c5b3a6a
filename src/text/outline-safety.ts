/**
 * Safety: what a page could make a viewer do, taken out of what is served (ING-12).
 *
 * Event handlers and script addresses go; data addresses become a short marker; images on other machines keep their address in a
 * form that nothing loads (`hxxps://`), so that showing a page tells nobody that it was read.
 */
import { type Edit, keepingLines } from './decode-edits.js';
import { attributesOf, type HtmlTag } from './outline-html.js';

export interface Destination {
  readonly start: number;
  readonly end: number;
  readonly image: boolean;
}

const SCRIPT_ADDRESS = /^[\s<]*(?:javascript|vbscript)\s*:/i;
const DATA_ADDRESS = /^[\s<]*data\s*:/i;
const REMOTE = /^<?(https?):\/\//i;
const ADDRESS_ATTRIBUTES = new Set(['href', 'src', 'srcset', 'poster', 'action', 'formaction', 'xlink:href', 'background']);
const IMAGE_TAGS = new Set(['img', 'Image', 'source', 'picture', 'video', 'audio', 'input', 'track']);

export function activeEdits(text: string, tags: readonly HtmlTag[], destinations: readonly Destination[]): readonly Edit[] {
  const edits: Edit[] = [];
  for (const { start, end, image } of destinations) {
    const edit = addressEdit(text, start, end, image);
    if (edit !== undefined) edits.push(edit);
  }
  for (const tag of tags) {
    for (const attribute of attributesOf(text, tag)) {
      const name = attribute.name.toLowerCase();
      if (/^on[a-z]{3,}$/.test(name) && attribute.value !== '') {
        edits.push(keepingLines(text, attribute.start, attribute.end, ''));
      } else if (ADDRESS_ATTRIBUTES.has(name)) {
        const loads = IMAGE_TAGS.has(tag.name) && name !== 'href';
        const edit = addressEdit(text, attribute.valueStart, attribute.valueEnd, loads);
        if (edit !== undefined) edits.push(edit);
      }
    }
  }
  return edits;
}

function addressEdit(text: string, start: number, end: number, loads: boolean): Edit | undefined {
  const address = text.slice(start, Math.min(end, start + 100));
  if (SCRIPT_ADDRESS.test(address)) return keepingLines(text, start, end, '#script-removed');
  if (DATA_ADDRESS.test(address)) return keepingLines(text, start, end, dataMarker(address, end - start));
  const remote = loads ? REMOTE.exec(address) : null;
  if (remote === null) return undefined;
  const at = start + remote[0].length - '://'.length - (remote[1]?.length ?? 0);
  const scheme = remote[1] ?? '';
  return { start: at, end: at + scheme.length, text: scheme.toLowerCase() === 'https' ? 'hxxps' : 'hxxp' };
}

/** `#data-removed:image/png;45000` */
export function dataMarker(address: string, units: number): string {
  const type = /^[\s<]*data\s*:\s*([\w.+-]+\/[\w.+-]+)?/i.exec(address)?.[1] ?? 'text/plain';
  return `#data-removed:${type};${units}`;
}

/** Encoded payloads from this length on are no text, wherever they stand. */
const DATA_BLOB =
  /data:[\w.+-]{1,40}\/[\w.+-]{1,60}(?:;[\w.+-]{1,40}(?:=[\w.+-]{1,60})?){0,4}(?:;base64)?,[A-Za-z0-9+/=%_.~!*'()-]{128,}/gi;
const MIN_RUN_UNITS = 400;

/** Data addresses and base64 runs, as edits that put a marker in their place. */
export function blobEdits(text: string): readonly Edit[] {
  if (text.length < 128) return [];
  const edits: Edit[] = [];
  if (/data:/i.test(text)) {
    for (const match of text.matchAll(DATA_BLOB)) {
      const length = match[0].length;
      const closing = trailingClosers(match[0]);
      edits.push({ start: match.index, end: match.index + length - closing, text: dataMarker(match[0].slice(0, 120), length - closing) });
    }
  }
  edits.push(...runEdits(text));
  return edits;
}

/** A run that long holds two of the places looked at, so the words of prose are not walked through. */
function runEdits(text: string): readonly Edit[] {
  const edits: Edit[] = [];
  const step = MIN_RUN_UNITS / 2;
  for (let at = step; at < text.length; at += step) {
    if (!isBase64(text.charCodeAt(at)) || !isBase64(text.charCodeAt(at - step))) continue;
    let start = at;
    while (start > 0 && isBase64(text.charCodeAt(start - 1))) start -= 1;
    let end = at + 1;
    while (end < text.length && isBase64(text.charCodeAt(end))) end += 1;
    while (text[end] === '=') end += 1;
    if (end - start >= MIN_RUN_UNITS && isEncoded(text.slice(start, end))) {
      edits.push({ start, end, text: `#data-removed:base64;${end - start}` });
    }
    at = Math.max(at, end - (end % step));
  }
  return edits;
}

function isBase64(unit: number): boolean {
  return (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90) || (unit >= 47 && unit <= 57) || unit === 43;
}

/** A `)` or quote at the end belongs to the link or attribute around the address. */
function trailingClosers(address: string): number {
  return /[)']*$/.exec(address.slice(-4))?.[0].length ?? 0;
}

/** Random bytes in base64 have all three; words run together and hexadecimal have not. */
function isEncoded(run: string): boolean {
  const head = run.slice(0, 400);
  return /[a-z]/.test(head) && /[A-Z]/.test(head) && /[0-9]/.test(head);
}
