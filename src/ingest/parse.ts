/**
 * Step 3, parse: what does the page say about itself, and how is it built?
 *
 * Invariant: a page that parses badly is still a page; what was wrong is a problem with its line.
 */
import { type FrontMatter, readFrontMatter } from '../text/front-matter.js';
import { type Outline, outline, type Unseen } from '../text/outline.js';
import { isSectionMark } from '../text/section-mark.js';
import type { Note } from './page-problems.js';
import type { SafeText } from './sanitize.js';

export interface ParsedPage {
  readonly frontMatter: FrontMatter;
  readonly outline: Outline;
}

const COMPONENT_PAGE = /\.mdx$/i;
/** A comment of fewer words is a switch for some tool. */
const WORDS_OF_A_REMARK = 4;

export function parse(safe: SafeText, path: string, note: Note): ParsedPage {
  const frontMatter = unmaskedFields(readFrontMatter(yamlSafe(safe.text)));
  noteFrontMatter(frontMatter, path, note);
  const parsed = outline(safe.text, { bodyStart: frontMatter.bodyStart, components: COMPONENT_PAGE.test(path) });
  if (parsed.furtherBlock !== undefined) {
    note({
      code: 'page/front-matter-second-block',
      severity: 'warning',
      line: safe.lines.lineAt(parsed.furtherBlock.start),
      message: 'The page has a second front matter block. Only the first is read; the second is indexed as text.',
      hint: 'Merge the two blocks.',
    });
  }
  for (const offset of parsed.unclosedFences) {
    note({
      code: 'page/fence-unclosed',
      severity: 'warning',
      line: safe.lines.lineAt(offset),
      message: `The code block opened in ${path} is never closed; everything after it counts as code.`,
      hint: 'Close the fence.',
    });
  }
  if (parsed.unparsedFrom !== undefined) {
    note({
      code: 'page/too-many-blocks',
      severity: 'warning',
      line: safe.lines.lineAt(parsed.unparsedFrom),
      message: `${path} has more headings, paragraphs, list items and links than are told apart; from this line on it is indexed as plain lines.`,
      hint: 'Split the file, so that all of its headings are known.',
    });
  }
  noteUnseen(parsed.unseen, safe, note);
  return { frontMatter, outline: parsed };
}

/** The mask of a secret reads as a list and a mapping to YAML; the same with other signs is plain text, and as long. */
function yamlSafe(text: string): string {
  return text.startsWith('---') ? text.replace(/\[secret removed: ([a-z0-9-]+)\]/g, '(secret removed- $1)') : text;
}

function unmasked(text: string): string {
  return text.replace(/\(secret removed- ([a-z0-9-]+)\)/g, '[secret removed: $1]');
}

function unmaskedFields(read: FrontMatter): FrontMatter {
  if (read.kind !== 'fields' && read.kind !== 'broken') return read;
  const fields = read.fields.map((field) => {
    const { value } = field;
    if (value.kind === 'text') return { ...field, value: { kind: 'text' as const, text: unmasked(value.text) } };
    if (value.kind === 'list') return { ...field, value: { kind: 'list' as const, items: value.items.map(unmasked) } };
    return field;
  });
  return { ...read, fields };
}

function noteFrontMatter(read: FrontMatter, path: string, note: Note): void {
  if (read.kind === 'not-yaml') {
    note({
      code: 'page/front-matter-not-yaml',
      severity: 'warning',
      line: read.line,
      message: `${path} opens like front matter but is not: ${read.reason}. It is indexed as text.`,
      hint: 'Write `key: value` lines between two `---` lines, or begin the page with something else than `---`.',
    });
  }
  if (read.kind === 'broken') {
    note({
      code: 'page/front-matter-invalid',
      severity: 'error',
      line: read.line,
      message: `The front matter of ${path} cannot be read: ${read.reason}. The text below it is indexed without those fields.`,
      hint: 'Correct that line; quote values that hold a colon.',
    });
  }
}

function noteUnseen(unseen: readonly Unseen[], safe: SafeText, note: Note): void {
  const active = unseen.filter(({ kind }) => kind === 'active');
  if (active.length > 0) {
    note({
      code: 'page/active-content',
      severity: 'info',
      line: safe.lines.lineAt(active[0]?.start ?? 0),
      message: `Scripts, styles or embedded frames were left out (lines ${linesOf(active, safe)}).`,
      hint: 'Nothing to do, unless their text should be found.',
    });
  }
  const hidden = unseen.filter(
    ({ start, kind, words, closed }) =>
      !isSectionMark(safe.text, start) &&
      ((kind !== 'active' && words >= WORDS_OF_A_REMARK) || (kind === 'hidden' && words > 0) || !closed),
  );
  if (hidden.length === 0) return;
  const grave = hidden.some(({ kind, closed }) => kind === 'hidden' || !closed);
  note({
    code: 'page/hidden-text',
    severity: grave ? 'warning' : 'info',
    line: safe.lines.lineAt(hidden[0]?.start ?? 0),
    message: `Text that a reader of the page does not see was left out (lines ${linesOf(hidden, safe)}).`,
    hint: 'Comments and hidden elements are neither searched nor shown. Move what matters into the visible text.',
  });
}

function linesOf(unseen: readonly Unseen[], safe: SafeText): string {
  const lines = [...new Set(unseen.map(({ start }) => safe.lines.lineAt(start)))];
  return lines.length <= 5 ? lines.join(', ') : `${lines.slice(0, 5).join(', ')} and ${lines.length - 5} more`;
}
