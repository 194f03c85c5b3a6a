/**
 * Strict YAML: text in, a value of the schema out, or one fault that names the file, the line and the key.
 *
 * Invariant: YAML core schema only; nothing in the file runs, includes another file, or is expanded from the environment.
 */
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { Fault } from '../../kernel/errors.js';
import { nearest } from '../asking/nearest.js';

export type Path = readonly (string | number)[];

export interface StrictYaml<T> {
  readonly value: T;
  /** The line of the key, or of the nearest thing around it that stands in the file. */
  lineOf(path: Path): number | undefined;
}

export function readStrictYaml<T>(text: string, file: string, schema: z.ZodType<T>): StrictYaml<T> {
  const lines = new LineCounter();
  const document = parseDocument(text, { schema: 'core', version: '1.2', merge: false, lineCounter: lines, prettyErrors: false });
  const broken = document.errors[0];
  if (broken !== undefined) {
    throw new Fault('config/invalid', {
      file,
      line: lines.linePos(broken.pos[0]).line,
      key: 'the file',
      // What was found there is not repeated: the file may be none of this program's.
      expected: `YAML; ${broken.message.replace(/(?<=\w): .*$/s, '').replace(/\.$/, '')}`,
    });
  }
  const value = plainValue(document, file);
  const lineOf = (path: Path) => lineAt(document, lines, path);
  const parsed = schema.safeParse(value ?? {});
  if (!parsed.success) throw refusal(file, schema, parsed.error.issues, value, lineOf);
  return { value: parsed.data, lineOf };
}

/** Anchors and aliases unfold; a handful that would unfold into millions is refused. */
function plainValue(document: Document, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw new Fault('config/invalid', { file, key: 'the file', expected: 'without aliases that multiply' }, { cause: error });
  }
}

type Issue = z.core.$ZodIssue;

/** A misspelt key is why another one is missing. */
function mostTelling(issues: readonly Issue[]): Issue | undefined {
  return issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
}

function refusal(
  file: string,
  schema: unknown,
  issues: readonly Issue[],
  value: unknown,
  lineOf: (path: Path) => number | undefined,
): Fault {
  const { issue, path } = deepest(mostTelling(issues), [], value);
  if (issue.code === 'unrecognized_keys') {
    const key = issue.keys[0] ?? '';
    const at = [...path, key];
    const meant = nearest(key, keysAt(schema, path));
    const expected = meant === undefined ? 'left out; it is no key of this file' : `left out or spelled \`${meant}\``;
    return invalidKey(file, lineOf(at), at, expected);
  }
  return invalidKey(file, lineOf(path), path, expectation(issue, path, value));
}

/** Follows a failed union into the branch that fits the kind of value written. */
function deepest(issue: Issue | undefined, above: Path, value: unknown): { issue: Issue; path: Path } {
  if (issue === undefined) throw new Error('a failed parse has at least one issue');
  const path = [...above, ...(issue.path as (string | number)[])];
  if (issue.code !== 'invalid_union') return { issue, path };
  const branch = issue.errors.find((each) => each.some((one) => one.path.length > 0 || one.code !== 'invalid_type'));
  return branch === undefined ? { issue, path } : deepest(branch[0], path, value);
}

function expectation(issue: Issue, path: Path, value: unknown): string {
  const given = dig(value, path);
  // Of a file that is something else altogether nothing is repeated.
  const got = given === undefined || path.length === 0 ? '' : `, not ${JSON.stringify(given)?.slice(0, 60) ?? typeof given}`;
  if (issue.code === 'invalid_value') {
    const values = issue.values.map((each) => String(each));
    const meant = typeof given === 'string' ? nearest(given, values) : undefined;
    const list = values.length === 1 ? values[0] : `one of ${values.join(', ')}`;
    return `${list}${meant === undefined ? got : `${got} (did you mean ${meant}?)`}`;
  }
  if (issue.code === 'invalid_type') return given === undefined ? `given (a ${plain(issue.expected)})` : `a ${plain(issue.expected)}${got}`;
  if (issue.code === 'invalid_union') return `a text or a set of keys${got}`;
  if (issue.code === 'too_small')
    return issue.origin === 'array' || issue.origin === 'string' ? `filled in${got}` : `at least ${issue.minimum}${got}`;
  if (issue.code === 'too_big') return `at most ${issue.maximum}${got}`;
  return `${issue.message}${got}`;
}

const plain = (expected: string): string =>
  ({ array: 'list', object: 'set of keys', record: 'set of keys', string: 'text' })[expected] ?? expected;

function dig(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? (at as Record<string | number, unknown>)[key] : undefined),
    value,
  );
}

export function invalidKey(file: string, line: number | undefined, path: Path, expected: string): Fault {
  return new Fault('config/invalid', { file, ...(line === undefined ? {} : { line }), key: spell(path), expected });
}

function spell(path: Path): string {
  const text = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
  return text === '' ? 'the file' : text.replace(/^\./, '');
}

/** The keys that may stand where an unknown one was found. */
function keysAt(schema: unknown, path: Path): readonly string[] {
  const inner = schema as {
    readonly shape?: Readonly<Record<string, unknown>>;
    readonly unwrap?: () => unknown;
    readonly element?: unknown;
    readonly options?: readonly unknown[];
    readonly valueType?: unknown;
  };
  const [key, ...rest] = path;
  if (inner.options !== undefined) return inner.options.flatMap((each) => keysAt(each, path));
  if (inner.shape !== undefined) return key === undefined ? Object.keys(inner.shape) : keysAt(inner.shape[key] ?? {}, rest);
  if (inner.element !== undefined) return keysAt(inner.element, rest);
  if (inner.valueType !== undefined) return keysAt(inner.valueType, rest);
  return inner.unwrap === undefined ? [] : keysAt(inner.unwrap(), path);
}

/** The line of the key, or of the nearest thing around it that stands in the file. */
function lineAt(document: Document, lines: LineCounter, path: Path): number | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const parent = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
    const key = path[length - 1];
    const pair = isMap(parent) ? parent.items.find((each) => isScalar(each.key) && each.key.value === key) : undefined;
    const node = pair === undefined ? document.getIn(path.slice(0, length), true) : pair.key;
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return undefined;
}
