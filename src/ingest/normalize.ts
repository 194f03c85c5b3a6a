/**
 * Step 4, normalize: what is this page called, what is it about, how far may it be trusted, and who may see it?
 *
 * Invariant: the title is the title field, else the first heading, else the file's name.
 */
import type { Compartment } from '../domain/compartment.js';
import { PAGE_STATUSES, type Page, type PageMeta, type PageStatus } from '../domain/page.js';
import type { SourceRegistration } from '../domain/source.js';
import type { SourceDocument } from '../ports/connector.js';
import type { FrontMatter } from '../text/front-matter.js';
import { plainText } from '../text/outline.js';
import { applyRules, fileUnder, type Ruled } from './governance.js';
import { governingHead } from './governing-head.js';
import { pageFields } from './page-fields.js';
import type { Note } from './page-problems.js';
import type { ParsedPage } from './parse.js';
import type { SafeText } from './sanitize.js';
import { sectionDirectives } from './section-directives.js';

export interface NormalPage {
  readonly page: Page;
  readonly compartment: Compartment;
}

const MAX_SUMMARY_UNITS = 300;
const MAX_TITLE_UNITS = 300;
/** A first paragraph of fewer words is a badge or a byline. */
const WORDS_OF_A_PARAGRAPH = 4;

export function normalize(
  document: SourceDocument,
  registration: SourceRegistration,
  safe: SafeText,
  parsed: ParsedPage,
  note: Note,
): NormalPage {
  const { frontMatter } = parsed;
  const fields = frontMatter.kind === 'fields' || frontMatter.kind === 'broken' ? frontMatter.fields : [];
  const { meta: written, unreadable } = pageFields(fields, note);
  const ruled = applyRules(registration, document.page ?? document.path);
  const meta = withRules(withRescued(written, frontMatter), ruled);
  const further = parsed.outline.furtherBlock;
  const compartment = fileUnder(
    {
      registration,
      ruled,
      meta,
      frontMatter,
      unreadable,
      directives: sectionDirectives(safe, parsed.outline, document.page !== undefined),
      strayHead: governingHead(safe.text, frontMatter.bodyStart),
      ...(further === undefined
        ? {}
        : { furtherBlock: { text: safe.text.slice(further.start, further.end), line: safe.lines.lineAt(further.start) } }),
    },
    note,
  );
  const page: Page = {
    source: registration.id,
    path: document.path,
    blob: document.blob,
    title: cut(meta.title ?? firstHeading(parsed) ?? nameOf(document.path), MAX_TITLE_UNITS),
    summary: cut(meta.description ?? firstParagraph(safe, parsed), MAX_SUMMARY_UNITS),
    meta,
    tier: ruled.tier,
    authorityClass: registration.authorityClass,
    curated:
      registration.admission !== 'local-unreviewed' && registration.location.connector === 'git' && registration.location.ref !== undefined,
    lineCount: safe.lines.count,
  };
  return { page, compartment };
}

/**
 * What the page says of itself is nearer than what its folder says, but for one thing: whoever sets a folder aside does not edit its
 * pages, so a page that still calls itself current stays set aside.
 */
function withRules(meta: PageMeta, ruled: Ruled): PageMeta {
  const known = PAGE_STATUSES.find((each): each is PageStatus => each === ruled.status);
  const stated = (meta.status !== undefined || meta.other['status'] !== undefined) && (!isSetAside(known) || isSetAside(meta.status));
  return {
    ...meta,
    ...(!stated && known !== undefined ? { status: known } : {}),
    ...(meta.productVersion === undefined && ruled.productVersion !== undefined ? { productVersion: ruled.productVersion } : {}),
    ...(ruled.sensitivity === 'private' ? { sensitivity: 'private' as const } : {}),
    ...(!stated && known === undefined && ruled.status !== undefined ? { other: { ...meta.other, status: ruled.status } } : {}),
  };
}

function isSetAside(status: PageStatus | undefined): boolean {
  return status === 'legacy' || status === 'deprecated';
}

/** Title and description of a block that cannot be parsed, mostly for a colon in just these: text that nothing is decided by. */
function withRescued(meta: PageMeta, frontMatter: FrontMatter): PageMeta {
  if (frontMatter.kind !== 'broken' || frontMatter.fields.length > 0) return meta;
  const title = onlyLine(frontMatter.block, 'title');
  const description = onlyLine(frontMatter.block, 'description');
  return { ...meta, ...(title === undefined ? {} : { title }), ...(description === undefined ? {} : { description }) };
}

function onlyLine(block: string, key: string): string | undefined {
  const lines = block.split('\n').filter((line) => line.startsWith(`${key}:`));
  const value = lines.length === 1 ? (lines[0] ?? '').slice(key.length + 1).trim() : '';
  if (value === '' || /^[|>[{&*!]/.test(value)) return undefined;
  return value.replace(/^(["'])(.*)\1$/, '$2').replace(/\(secret removed- ([a-z0-9-]+)\)/g, '[secret removed: $1]');
}

function firstHeading({ outline }: ParsedPage): string | undefined {
  return outline.headings.find(({ title }) => title !== '')?.title;
}

function nameOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name.replace(/(?<=.)\.[A-Za-z0-9]{1,10}$/, '');
}

function firstParagraph(safe: SafeText, { outline }: ParsedPage): string {
  let first = '';
  for (const block of outline.blocks) {
    if (block.kind !== 'paragraph') continue;
    const words = plainText(safe.text, outline.searched, block.start, Math.min(block.end, block.start + 4000));
    const count = words.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
    if (count >= WORDS_OF_A_PARAGRAPH || /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]{6}/u.test(words))
      return words;
    if (first === '' && count > 0) first = words;
  }
  return first;
}

/** At most so many units, ended between words where there are any, never within a character pair. */
function cut(text: string, units: number): string {
  if (text.length <= units) return text;
  const head = text.slice(0, units - 1).replace(/[\ud800-\udbff]$/, '');
  const blank = head.lastIndexOf(' ');
  return `${(blank > units * 0.6 ? head.slice(0, blank) : head).trimEnd()}…`;
}
