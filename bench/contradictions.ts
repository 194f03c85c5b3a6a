/**
 * `npm run bench:contradictions -- DIR [--questions N]`: of documents that give right and false answers to the same question, which
 * are in a context, and is who reads a false one told of the right one that it contradicts?
 *
 * DIR is a set in BEIR layout with a `labels.tsv` (`query-id`, `corpus-id`, `type`: correct, misinfo or noise). Every question is
 * compiled with the order alone, and with what is done for diversity, each part of it added to the one before. All in one run.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type LabelledSet, openLabelledSet } from '../src/app/evaluation/set.js';
import { askerUnder } from '../src/app/evaluation/trials.js';
import type { PackageBody } from '../src/domain/context-package.js';
import type { RankingPolicy } from '../src/domain/ranking-policy.js';
import type { Question } from '../src/evaluation/question.js';

/** Of one question: document → correct or misinfo. */
type Kinds = ReadonlyMap<string, string>;

interface Tally {
  /** Questions with a document that is right, and those that have one in the package. */
  asked: number;
  kept: number;
  /** Documents that are right: all, and in. */
  right: number;
  rightIn: number;
  /** False ones: all, in, in one group with a right one, and in a package without any right one. */
  false: number;
  falseIn: number;
  grouped: number;
  alone: number;
  /** Pairs of a right and a false one of which one was folded into the other as its copy. */
  folded: number;
}

/** Each with the one before it. */
const ARMS: readonly { readonly name: string; readonly with: Partial<RankingPolicy> }[] = [
  { name: 'the order alone', with: { nearDuplicate: 1, contextPerPage: 1000, fencedShare: 1, counterevidenceShare: 0 } },
  { name: 'and no page or lane more than its share', with: { nearDuplicate: 1, counterevidenceShare: 0 } },
  { name: 'and near copies folded', with: { counterevidenceShare: 0 } },
  { name: 'and a place for what says otherwise: as it is', with: {} },
];

export async function main(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...argv], allowPositionals: true, options: { questions: { type: 'string' } } });
  const [folder] = positionals;
  if (folder === undefined) {
    process.stderr.write('Name a labelled set with a labels.tsv: npm run bench:contradictions -- DIR\n');
    return 2;
  }
  const kinds = kindsOf(join(resolve(folder), 'labels.tsv'));
  const limitQueries = values.questions === undefined ? undefined : Number(values.questions);
  const signal = new AbortController().signal;
  const set = await openLabelledSet({ beir: resolve(folder), limitQueries }, { signal, progress: () => undefined });
  try {
    const rows: string[][] = [];
    for (const arm of ARMS) {
      rows.push(rowOf(arm.name, await tallied(set, kinds, { ...set.library.config.ranking, ...arm.with }, signal)));
      process.stderr.write(`${arm.name} done\n`);
    }
    process.stdout.write(`${set.name}, ${set.questions.length} questions, contexts of at most 1,500 tokens\n\n${table(rows)}`);
    return 0;
  } finally {
    await set.close();
  }
}

function kindsOf(file: string): ReadonlyMap<string, Kinds> {
  const kinds = new Map<string, Map<string, string>>();
  for (const line of readFileSync(file, 'utf8').trim().split('\n').slice(1)) {
    const [query = '', page = '', kind = ''] = line.split('\t');
    const known = kinds.get(query) ?? new Map<string, string>();
    kinds.set(query, known.set(page, kind));
  }
  return kinds;
}

async function tallied(set: LabelledSet, kinds: ReadonlyMap<string, Kinds>, policy: RankingPolicy, signal: AbortSignal): Promise<Tally> {
  const asker = askerUnder(set, { policy }, signal);
  const sum: Tally = { asked: 0, kept: 0, right: 0, rightIn: 0, false: 0, falseIn: 0, grouped: 0, alone: 0, folded: 0 };
  for (const question of set.questions) {
    const own = kinds.get(question.id);
    if (own !== undefined) count(sum, own, set, (await asker.ask(question)).body, question);
  }
  return sum;
}

function count(sum: Tally, kinds: Kinds, { pageId }: LabelledSet, body: PackageBody, { grades }: Question): void {
  const isRight = (page: string) => (grades.get(page) ?? 0) > 0;
  const isFalse = (page: string) => kinds.get(page) === 'misinfo';
  const pageOf = new Map([...body.excluded, ...body.items].map((each) => [each.artifact, pageId(each)]));
  const inside = new Set(body.items.map(pageId));
  const [right, wrong] = [[...grades.keys()].filter(isRight), [...kinds.keys()].filter(isFalse)];
  const rightIn = right.filter((page) => inside.has(page));
  const falseIn = wrong.filter((page) => inside.has(page));
  const groups = body.conflicts.map(({ artifacts }) => new Set(artifacts.flatMap((each) => pageOf.get(each) ?? [])));
  sum.asked += right.length > 0 ? 1 : 0;
  sum.kept += rightIn.length > 0 ? 1 : 0;
  sum.right += right.length;
  sum.rightIn += rightIn.length;
  sum.false += wrong.length;
  sum.falseIn += falseIn.length;
  sum.grouped += falseIn.filter((page) => groups.some((group) => group.has(page) && right.some((each) => group.has(each)))).length;
  sum.alone += rightIn.length === 0 ? falseIn.length : 0;
  sum.folded += body.items
    .flatMap(({ duplicates, ...item }) => duplicates.map((copy) => [pageId(item), pageId(copy)] as const))
    .filter(([one, other]) => (isRight(one) && isFalse(other)) || (isFalse(one) && isRight(other))).length;
}

function rowOf(name: string, sum: Tally): string[] {
  const share = (part: number, whole: number) => `${part} of ${whole} (${whole === 0 ? 0 : Math.round((100 * part) / whole)} %)`;
  return [
    name,
    share(sum.kept, sum.asked),
    share(sum.rightIn, sum.right),
    share(sum.falseIn, sum.false),
    share(sum.grouped, sum.falseIn),
    String(sum.alone),
    String(sum.folded),
  ];
}

const HEAD = [
  'context',
  'questions that keep a right document',
  'right documents in',
  'false documents in',
  'false ones in a group with a right one',
  'false ones with no right one beside them',
  'pairs folded as copies',
];

function table(rows: readonly (readonly string[])[]): string {
  return [HEAD, HEAD.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}
