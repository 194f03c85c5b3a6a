/**
 * Governance of one page: in which compartment is it filed?
 *
 * The registration decides, its path rules sharpen it, and the page itself may sharpen it further: raise its classification, keep
 * itself private, narrow its tenants. None of them can loosen what stands above it (ART-09).
 *
 * Invariant: a governing field that is there and cannot be read files the page where only the source's owner finds it.
 */
import type { TrustTier } from '../domain/authority.js';
import { TRUST_TIERS } from '../domain/authority.js';
import { type Classification, stricter } from '../domain/classification.js';
import { bothRefs, type Compartment, type CompartmentTuple, compartment, OWNER_ONLY, refsOf } from '../domain/compartment.js';
import type { PageMeta } from '../domain/page.js';
import type { PathRule, SourceRegistration } from '../domain/source.js';
import type { FrontMatter, FrontMatterField } from '../text/front-matter.js';
import { globMatcher } from '../text/glob.js';
import type { GoverningLine } from './governing-head.js';
import { normalKey, shownKey } from './page-fields.js';
import type { Note } from './page-problems.js';
import type { SectionDirective } from './section-directives.js';

/** What a source's path rules say about one page; the last word of each kind, as far as it sharpens. */
export interface Ruled {
  readonly classification: Classification;
  readonly permissionsRef: string;
  readonly tier: TrustTier;
  readonly sensitivity?: 'private' | 'normal';
  readonly status?: string;
  readonly productVersion?: string;
}

const GOVERNING =
  /(?:^|[{,\s"'])(classification|sensitivity|permissions?(?:[_-]?ref)?|acl|(?<![ \t])access|tenants?(?:[_-]?scope)?|egress|allowed[_-]?purposes)["']?[ \t]*:/im;
const PERMISSION_KEYS = new Set(['permissions_ref', 'permission_ref', 'permissions', 'acl', 'access']);
const TENANT_KEYS = new Set(['tenant', 'tenants', 'tenant_scope']);
const PURPOSE_KEYS = new Set(['allowed_purposes', 'allowed_purpose']);
/** Keys that can mean only one thing, wherever they stand. */
const NESTED_KEYS = new Set(['classification', 'sensitivity', 'permissions_ref', 'acl', 'tenant_scope', 'egress', 'allowed_purposes']);

const matchers = new Map<string, (path: string) => boolean>();

function matches(glob: string, path: string): boolean {
  let matcher = matchers.get(glob);
  if (matcher === undefined) {
    matcher = globMatcher([glob]);
    if (matchers.size > 1000) matchers.clear();
    matchers.set(glob, matcher);
  }
  return matcher(path);
}

export function applyRules(registration: SourceRegistration, path: string): Ruled {
  const last: { -readonly [K in keyof PathRule]?: PathRule[K] } = {};
  for (const rule of registration.rules) if (matches(rule.glob, path)) Object.assign(last, defined(rule));
  return {
    classification:
      last.classification === undefined ? registration.classification : stricter(registration.classification, last.classification),
    permissionsRef:
      last.permissionsRef === undefined ? registration.permissionsRef : bothRefs(registration.permissionsRef, last.permissionsRef),
    tier: last.trustTier === undefined ? registration.trustTier : lower(registration.trustTier, last.trustTier),
    ...(last.sensitivity === undefined ? {} : { sensitivity: last.sensitivity }),
    ...(last.status === undefined ? {} : { status: last.status }),
    ...(last.productVersion === undefined ? {} : { productVersion: last.productVersion }),
  };
}

function defined(rule: PathRule): Partial<PathRule> {
  return Object.fromEntries(Object.entries(rule).filter(([, value]) => value !== undefined));
}

function lower(a: TrustTier, b: TrustTier): TrustTier {
  return TRUST_TIERS[Math.min(TRUST_TIERS.indexOf(a), TRUST_TIERS.indexOf(b))] ?? 'untrusted';
}

export interface PageGovernance {
  readonly registration: SourceRegistration;
  readonly ruled: Ruled;
  readonly meta: PageMeta;
  readonly frontMatter: FrontMatter;
  /** Governing fields of the page that could not be read. */
  readonly unreadable: readonly FrontMatterField[];
  /** A further front matter block, which nobody reads. */
  readonly furtherBlock?: { readonly text: string; readonly line: number };
  /** What sections of the page need beyond it. */
  readonly directives?: readonly SectionDirective[];
  /** A governing line at the head of the page, outside what was read as front matter. */
  readonly strayHead?: GoverningLine | undefined;
}

export function fileUnder(governance: PageGovernance, note: Note): Compartment {
  const { registration, meta, directives = [] } = governance;
  const ruled = sharpened(governance.ruled, directives);
  if (directives.some(({ fault }) => fault === undefined)) noteSections(directives, note);
  const fault = unreadableGovernance(governance) ?? narrowingFault(governance);
  if (fault !== undefined) noteUnreadable(fault.line, fault.reason, note);
  const named = fault === undefined ? namedReaders(governance) : undefined;
  if (named !== undefined) noteUnreadable(named.line, `a page cannot name its own readers (${shownKey(named.key)})`, note);
  const egress =
    registration.egress === 'local-only' ||
    ruled.sensitivity === 'private' ||
    meta.sensitivity === 'private' ||
    directives.some(({ isPrivate }) => isPrivate === true) ||
    statedEgress(governance).includes('local-only')
      ? 'local-only'
      : 'any';
  return compartmentFor({
    source: registration.id,
    tenants: fault === undefined ? narrowed(governance, TENANT_KEYS, registration.tenantScope) : registration.tenantScope,
    permissionsRef: fault !== undefined || named !== undefined ? OWNER_ONLY : ruled.permissionsRef,
    classification:
      fault !== undefined
        ? 'restricted'
        : meta.classification === undefined
          ? ruled.classification
          : stricter(ruled.classification, meta.classification),
    purposes: fault === undefined ? narrowed(governance, PURPOSE_KEYS, registration.allowedPurposes) : registration.allowedPurposes,
    egress: fault !== undefined ? 'local-only' : egress,
  });
}

/** The compartment of the page before is mostly that of the next; working out its key costs more than comparing. */
let latest: { readonly tuple: string; readonly compartment: Compartment } | undefined;

function compartmentFor(tuple: CompartmentTuple): Compartment {
  const text = JSON.stringify(tuple);
  if (latest?.tuple !== text) latest = { tuple: text, compartment: compartment(tuple) };
  return latest.compartment;
}

interface GovernanceFault {
  readonly line: number | undefined;
  readonly reason: string;
}

/** The page needs what each of its sections needs. */
function sharpened(ruled: Ruled, directives: readonly SectionDirective[]): Ruled {
  let { classification, permissionsRef } = ruled;
  for (const directive of directives) {
    if (directive.classification !== undefined) classification = stricter(classification, directive.classification);
    if (directive.permissionsRef !== undefined) permissionsRef = bothRefs(permissionsRef, directive.permissionsRef);
  }
  return { ...ruled, classification, permissionsRef };
}

function noteSections(directives: readonly SectionDirective[], note: Note): void {
  note({
    code: 'page/section-directive',
    severity: 'info',
    line: directives[0]?.line,
    message: 'A section of this page needs more than the page, so the whole page is filed as that section asks.',
    hint: 'Move the section to a page of its own to keep the rest open to its readers.',
  });
}

function unreadableGovernance({
  frontMatter,
  unreadable,
  furtherBlock,
  strayHead,
  directives,
}: PageGovernance): GovernanceFault | undefined {
  const first = unreadable[0];
  if (first !== undefined) return { line: first.line, reason: `the value of ${shownKey(first.key)} is none of those allowed` };
  const odd = directives?.find(({ fault }) => fault !== undefined);
  if (odd !== undefined) return { line: odd.line, reason: `the section directive cannot be read: ${odd.fault}` };
  const nested = fieldsOf(frontMatter).find(({ key }) => key.includes('.') && NESTED_KEYS.has(normalKey(lastPart(key))));
  if (nested !== undefined) return { line: nested.line, reason: `${shownKey(lastPart(nested.key))} stands inside another field` };
  if (frontMatter.kind === 'broken' || frontMatter.kind === 'not-yaml') {
    const mention = GOVERNING.exec(frontMatter.block);
    const whole = frontMatter.kind === 'not-yaml' || mention === null || !isReadOnce(frontMatter, mention[1] ?? '');
    if (mention !== null && whole) return { line: frontMatter.line, reason: `the block that holds ${mention[1]} cannot be read` };
  }
  if (furtherBlock !== undefined) {
    const mention = GOVERNING.exec(furtherBlock.text);
    if (mention !== null) return { line: furtherBlock.line, reason: `${mention[1]} stands in a second front matter block` };
  }
  if (strayHead !== undefined) return { line: strayHead.line, reason: `${strayHead.key} stands outside what is read as front matter` };
  return undefined;
}

function lastPart(key: string): string {
  return key.slice(key.lastIndexOf('.') + 1);
}

/** Repeated keys were all that was wrong, and no governing key is among them. */
function isReadOnce(frontMatter: FrontMatter & { kind: 'broken' }, mentioned: string): boolean {
  const wanted = normalKey(mentioned);
  const keys = frontMatter.fields.map(({ key }) => normalKey(key));
  const all = [...frontMatter.block.matchAll(new RegExp(GOVERNING.source, 'gim'))];
  return keys.includes(wanted) && all.every((match) => keys.includes(normalKey(match[1] ?? '')));
}

function fieldsOf(frontMatter: FrontMatter): readonly FrontMatterField[] {
  return frontMatter.kind === 'fields' || frontMatter.kind === 'broken' ? frontMatter.fields : [];
}

function valuesOf(field: FrontMatterField): readonly string[] | undefined {
  if (field.value.kind === 'text') return [field.value.text.trim()];
  return field.value.kind === 'list' ? field.value.items.map((item) => item.trim()) : undefined;
}

/** A field that may only narrow what the source says, and names nothing of it; or an egress that does not exist. */
function narrowingFault(governance: PageGovernance): GovernanceFault | undefined {
  const { frontMatter, registration } = governance;
  for (const field of fieldsOf(frontMatter)) {
    const key = normalKey(field.key);
    const values = valuesOf(field);
    if (TENANT_KEYS.has(key) && values?.some((each) => registration.tenantScope.includes(each)) !== true) {
      return { line: field.line, reason: `${shownKey(field.key)} names no tenant of the source` };
    }
    if (PURPOSE_KEYS.has(key) && values?.some((each) => registration.allowedPurposes.includes(each)) !== true) {
      return { line: field.line, reason: `${shownKey(field.key)} names no purpose that the source allows` };
    }
    if (key === 'egress' && !EGRESSES.includes(values?.length === 1 ? (values[0] ?? '').toLowerCase() : '')) {
      return { line: field.line, reason: `${shownKey(field.key)} must be any or local-only` };
    }
  }
  return undefined;
}

const EGRESSES: readonly string[] = ['any', 'local-only'];

function statedEgress({ frontMatter }: PageGovernance): readonly string[] {
  const fields = fieldsOf(frontMatter).filter(({ key }) => normalKey(key) === 'egress');
  return fields.flatMap((field) => valuesOf(field) ?? []).map((each) => each.toLowerCase());
}

function narrowed({ frontMatter }: PageGovernance, keys: ReadonlySet<string>, whole: readonly string[]): readonly string[] {
  let left = whole;
  for (const field of fieldsOf(frontMatter)) {
    const values = keys.has(normalKey(field.key)) ? valuesOf(field) : undefined;
    if (values !== undefined) left = left.filter((each) => values.includes(each));
  }
  return left;
}

/** A page that names readers other than the source's: who would be meant is not ours to guess. Prose about permissions is prose. */
function namedReaders({ frontMatter, ruled }: PageGovernance): FrontMatterField | undefined {
  return fieldsOf(frontMatter).find((field) => {
    if (!PERMISSION_KEYS.has(normalKey(field.key))) return false;
    const values = valuesOf(field);
    if (values === undefined) return true;
    if (values.length === 1 && (refsOf(ruled.permissionsRef).includes(values[0] ?? '') || /\s/.test(values[0] ?? ''))) return false;
    return values.length > 0;
  });
}

function noteUnreadable(line: number | undefined, reason: string, note: Note): void {
  note({
    code: 'page/governance-unreadable',
    severity: 'error',
    line,
    message: `Who may see this page cannot be told: ${reason}. Only the owner of the source sees it.`,
    hint: 'Correct the field, or say it for the folder under `rules` in colophon.yaml.',
  });
}
