/**
 * What each kind of step does. A kind that is not here fails its case.
 *
 * Findings are collected, so that one case tells everything that is wrong with it.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { argument, asStep, expectationsOf, numberArgument, record, type Step, textArgument } from './case-file.js';
import { brief, checkAll, type Findings, strings, verdict } from './check.js';
import { CHUNK_CHECKS } from './check-chunks.js';
import { CONTEXT_CHECKS, DOC_CHECKS, INDEX_CHECKS, LINK_CHECKS, READ_CHECKS, type RunSubject, STATUS_CHECKS } from './check-run.js';
import { noError, SEARCH_CHECKS, type SearchSubject } from './check-search.js';
import { ensureIndexed, type Journey, pause, registered } from './journey.js';
import { type Answer, type Asker, type Filter, type Hit, list, saying } from './product.js';
import { indexLoop, interruptIndex, observeIndex } from './step-index-runs.js';
import { converse, endOfInput, queryLoop } from './step-server.js';

type Run = (step: Step, journey: Journey) => Promise<Findings>;

const ASKER = new Set(['as_', 'as', 'trust', 'classification', 'tenant', 'permissions', 'permissions_ref']);

export const STEPS: Readonly<Record<string, Run>> = {
  index: async (step, journey) => {
    const folder = registered(step);
    journey.product.register(folder);
    return indexed(step, journey, await journey.product.index(folder));
  },

  search: async (step, journey) => {
    const subject = await searched(textArgument(step, 'q'), step, journey);
    return judgeSearch(subject, step);
  },

  search_each: async (step, journey) => {
    const file = textArgument(step, 'file');
    const place = [join(journey.file.folder, file), join(journey.product.workspace.work, file)].find(existsSync);
    if (place === undefined) return [`${file} is not there`];
    const findings: string[] = [];
    for (const query of strings(JSON.parse(readFileSync(place, 'utf8')))) {
      const found = await judgeSearch(await searched(query, step, journey), step);
      findings.push(...found.map((finding) => `${brief(query, 60)}: ${finding}`));
    }
    return findings;
  },

  search_range: async (step, journey) => {
    const range = argument(step, 'range');
    const [from = 0, to = 0, by = 1] = Array.isArray(range) ? range.map(Number) : [];
    const findings: string[] = [];
    for (let i = from; i < to; i += by) {
      const one = asStep(fillIn(step, i), 'search_range');
      const found = await judgeSearch(await searched(textArgument(one, 'pattern'), one, journey), one);
      findings.push(...found.map((finding) => `${textArgument(one, 'pattern')}: ${finding}`));
    }
    return verdict(to > from, 'the range is empty').concat(findings);
  },

  poll_search: async (step, journey) => {
    const until = performance.now() + numberArgument(step, 'seconds', 10) * 1000;
    for (;;) {
      const findings = await judgeSearch(await searched(textArgument(step, 'q'), step, journey), step);
      if (findings.length === 0 || performance.now() > until) return findings;
      await pause(250);
    }
  },

  result_paths_exist: async (step, journey) => {
    const { hits } = await searched(textArgument(step, 'q'), step, journey);
    return [
      ...verdict(hits.length > 0, 'no hits'),
      ...hits.flatMap(({ path }) => verdict(existsSync(join(journey.product.workspace.work, path)), `${path} is not a file`)),
    ];
  },

  paths_are_posix: async (_, { product }) =>
    verdict(product.pathsSeen.length > 0, 'no path was seen').concat(
      product.pathsSeen.flatMap((path) => verdict(!/^[A-Za-z]:|^\/|\\/.test(path), `${path} is no path from the source's root`)),
    ),

  chunks: async (step, { product, file }) => {
    const doc = textArgument(step, 'doc');
    const { answer, chunks } = await product.chunks(doc);
    if (answer.fault || chunks.length === 0) return [`no chunks of ${doc}: ${brief(saying(answer))}`];
    return checkAll(CHUNK_CHECKS, { product, caseFolder: file.folder, chunks }, expectationsOf(step));
  },

  doc: async (step, { product }) => {
    const answer = await product.get(textArgument(step, 'doc'), ['--meta'], asker(step));
    if (answer.fault) return [`${textArgument(step, 'doc')}: ${brief(saying(answer))}`];
    return checkAll(DOC_CHECKS, { product, answer }, expectationsOf(step), ASKER);
  },

  read: async (step, { product }) => {
    const lines = argument(step, 'lines');
    const anchor = argument(step, 'anchor');
    const flags = [
      ...(Array.isArray(lines) ? ['--lines', lines.join('-')] : []),
      ...(typeof anchor === 'string' ? ['--anchor', anchor] : []),
    ];
    const answer = await product.get(textArgument(step, 'doc'), flags, asker(step), argument(step, 'raw') === true);
    return checkAll(READ_CHECKS, { product, answer }, expectationsOf(step), ASKER);
  },

  links: async (step, { product }) => {
    const doc = textArgument(step, 'doc');
    const answer = await product.get(doc, ['--links'], asker(step));
    if (answer.fault) return [`${doc}: ${brief(saying(answer))}`];
    return checkAll(LINK_CHECKS, { product, answer, doc }, expectationsOf(step), ASKER);
  },

  context: async (step, { product }) => {
    const answer = await product.context(textArgument(step, 'task'), numberArgument(step, 'budget_tokens', 1500), asker(step));
    if (answer.fault) return [brief(saying(answer))];
    return checkAll(CONTEXT_CHECKS, { product, answer }, expectationsOf(step), ASKER);
  },

  status: async (step, { product }) => {
    const answer = await product.status(asker(step));
    if (answer.fault) return [brief(saying(answer))];
    return checkAll(STATUS_CHECKS, { product, answer }, expectationsOf(step), ASKER);
  },

  counts: async (step, { product }) => {
    const answer = await product.status(asker(step));
    if (answer.fault) return [brief(saying(answer))];
    const checks = { docs: STATUS_CHECKS['doc_count'] ?? (() => ['no check']) };
    return checkAll(checks, { product, answer }, expectationsOf(step), ASKER);
  },

  /** Whatever completes words for a person must not know more than a search does; a search for the prefix is that surface. */
  suggest: async (step, journey) => {
    const prefix = textArgument(step, 'prefix');
    const { answer, hits } = await searched(prefix, step, journey);
    const offered = hits
      .flatMap(({ path, title, headingPath }) => [path, title, ...headingPath])
      .filter((text) => text.toLowerCase().includes(prefix));
    const wanted = expectationsOf(step)['none'] === true ? [] : undefined;
    if (wanted === undefined) return ['`suggest` expects `none`'];
    return [...noError(answer), ...verdict(offered.length === 0, `${brief(prefix)} brings up ${brief(offered)}`)];
  },

  source_commit: async (step, { product, lastIndex }) => {
    const command = textArgument(step, 'equals_cmd');
    const wanted = (await product.workspace.shell(command)).stdout.trim();
    const { json } = await product.status();
    const id = product.sourceOf(textArgument(step, 'src'))?.id;
    const rows = [...list(json['sources']), ...list(lastIndex?.json['sources'])].filter((row) => id === undefined || row['id'] === id);
    const commits = rows.flatMap(({ commit }) => commit ?? []);
    const agree = commits.length > 0 && commits.every((commit) => commit === wanted);
    return verdict(wanted !== '' && agree, `status and the index report name ${brief(commits)}, git ${brief(wanted)}`);
  },

  sh: async (step, { product }) => {
    const run = await product.workspace.shell(textArgument(step, 'run'));
    return verdict(run.exit === 0, `the shell step failed: ${brief(run.stderr)}`);
  },

  env: async (step, { product }) => {
    for (const [name, value] of Object.entries(record(argument(step, 'set'), 'env.set'))) product.workspace.env[name] = String(value);
    return [];
  },

  repeat: async (step, journey) => {
    const findings: string[] = [];
    for (let round = 0; round < numberArgument(step, 'times', 1); round += 1) findings.push(...(await runSteps(inner(step), journey)));
    return findings;
  },

  save_results: async (step, journey) => {
    const { hits } = await searched(textArgument(step, 'q'), step, journey);
    journey.saved.set(resultName(step), shape(hits));
    return verdict(hits.length > 0, 'there are no results to save');
  },

  same_results: async (step, journey) => {
    const before = journey.saved.get(resultName(step));
    const { hits } = await searched(textArgument(step, 'q'), step, journey);
    return verdict(before === shape(hits), `results changed: ${brief(before ?? 'none saved', 300)} became ${brief(shape(hits), 300)}`);
  },

  equals_fresh_build: async (_, { product }) => {
    const now = (await product.status()).json;
    const fresh = { env: { COLOPHON_HOME: join(product.workspace.base, 'fresh-home') } };
    const built = await product.ask(['index'], {}, fresh);
    if (built.fault) return [`the fresh build failed: ${brief(saying(built))}`];
    const then = (await product.ask(['status'], {}, fresh)).json;
    return ['contentDigest', 'documents', 'artifacts'].flatMap((field) =>
      verdict(
        now[field] !== undefined && now[field] === then[field],
        `${field} is ${brief(now[field])}, of a fresh build ${brief(then[field])}`,
      ),
    );
  },

  index_kill: (step, journey) => interruptIndex(step, journey),
  index_observe: (step, journey) => observeIndex(step, journey),
  index_loop: (step, journey) => indexLoop(step, journey),
  mcp: (step, journey) => converse(step, journey),
  mcp_eof: (step, journey) => endOfInput(step, journey),
  mcp_query_loop: (step, journey) => queryLoop(step, journey),

  parallel: async (step, journey) => {
    const results = await Promise.all(inner(step).map((each) => runStep(each, journey)));
    const failures = results.flat();
    return checkAll<readonly string[]>(
      {
        errors: (all, n) => verdict(all.length === n, `${all.length} errors, e.g. ${brief(all[0])}`),
        lock_errors: (all, n) => {
          const locks = all.filter((text) => /lock|busy/i.test(text));
          return verdict(locks.length === n, `${locks.length} errors about locks, e.g. ${brief(locks[0])}`);
        },
      },
      failures,
      expectationsOf(step),
    );
  },

  watch_start: async (step, journey) => {
    const folder = registered(step);
    journey.product.register(folder);
    journey.indexed = true;
    const child = journey.product.workspace.start(
      process.execPath,
      journey.product.argv([...journey.product.indexVerb(folder), '--watch']),
    );
    const closed = new Promise<number | null>((resolve) => child.once('close', (exit) => resolve(exit)));
    child.stdout?.resume();
    child.stderr?.resume();
    journey.watcher = { child, closed };
    for (let tries = 0; tries < 100; tries += 1) {
      if (child.exitCode !== null) return [`the watcher ended at once (exit ${child.exitCode})`];
      const status = await journey.product.status();
      if (!status.fault && Number(status.json['generation']) > 0 && status.json['pending'] === 0) return [];
      await pause(100);
    }
    return ['the watcher did not index the folder within ten seconds'];
  },

  watch_stop: async (_, { watcher }) => {
    if (watcher === undefined) return ['no watcher was started'];
    watcher.child.kill('SIGINT');
    const exit = await Promise.race([watcher.closed, pause(5_000).then(() => 'late' as const)]);
    return verdict(exit !== 'late', 'the watcher did not stop within five seconds of an interrupt');
  },
};

export async function runSteps(steps: readonly Step[], journey: Journey): Promise<string[]> {
  const findings: string[] = [];
  for (const [index, step] of steps.entries()) {
    const found = await runStep(step, journey);
    findings.push(...found.map((finding) => `step ${index + 1} ${step.op}: ${finding}`));
  }
  return findings;
}

async function runStep(step: Step, journey: Journey): Promise<Findings> {
  const run = Object.hasOwn(STEPS, step.op) ? STEPS[step.op] : undefined;
  if (run === undefined) return [`\`${step.op}\` is not a step the runner knows`];
  try {
    return await run(step, journey);
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

function inner(step: Step): Step[] {
  const steps = argument(step, 'do', 'steps');
  if (!Array.isArray(steps)) throw new Error(`${step.op} needs steps`);
  return steps.map((each) => asStep(each, step.op));
}

/** True when the case says more of a folder than that it is there. */
export function registersSources(steps: readonly Step[]): boolean {
  return steps.some((step) => {
    const nested = step['do'] ?? step['steps'];
    if (Array.isArray(nested) && registersSources(nested.map((each) => asStep(each, step.op)))) return true;
    if (step['src'] === undefined) return false;
    return (
      step['src'] !== '.' ||
      ['as_', 'tenant', 'classification', 'trust', 'permissions'].some((name) => step.op === 'index' && argument(step, name) !== undefined)
    );
  });
}

function asker(step: Step): Asker {
  const said = argument(step, 'as_', 'as');
  const among = typeof said === 'object' && said !== null ? (said as Readonly<Record<string, unknown>>) : {};
  const filter = typeof step['filter'] === 'object' && step['filter'] !== null ? (step['filter'] as Readonly<Record<string, unknown>>) : {};
  const values = {
    tenant: among['tenant'] ?? filter['tenant'],
    ceiling: among['ceiling'] ?? filter['as_ceiling'] ?? filter['ceiling'],
    group: among['group'] ?? filter['group'],
    purpose: among['purpose'] ?? filter['purpose'],
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => typeof value === 'string'));
}

const FILTERS = new Set(['tenant', 'as_ceiling', 'ceiling', 'group', 'purpose', 'path', 'product_version', 'version']);

function filterOf(step: Step): Filter {
  const filter = step['filter'] === undefined ? {} : record(step['filter'], 'filter');
  const unknown = Object.keys(filter).find((key) => !FILTERS.has(key));
  if (unknown !== undefined) throw new Error(`filter \`${unknown}\` is not known to the runner`);
  const version = filter['product_version'] ?? filter['version'];
  return {
    ...asker(step),
    ...(step['mode'] === 'lexical' ? { mode: 'lexical' as const } : {}),
    ...(typeof filter['path'] === 'string' ? { path: filter['path'] } : {}),
    ...(typeof version === 'string' ? { version } : {}),
  };
}

async function searched(query: string, step: Step, journey: Journey): Promise<SearchSubject> {
  await ensureIndexed(journey);
  const { answer, hits } = await journey.product.search(query, numberArgument(step, 'k', 10), filterOf(step));
  return { product: journey.product, query, lexical: step['mode'] === 'lexical', answer, hits, lastIndex: journey.lastIndex };
}

/** A refusal fails any search, except where the case asks for one. */
async function judgeSearch(subject: SearchSubject, step: Step): Promise<string[]> {
  const expectations = expectationsOf(step);
  const refusalIsFine = 'says_unknown_version' in expectations || 'says_unknown_path' in expectations;
  const findings = await checkAll(SEARCH_CHECKS, subject, expectations, ASKER);
  return refusalIsFine || 'no_error' in expectations ? findings : [...noError(subject.answer), ...findings];
}

async function indexed(step: Step, journey: Journey, answer: Answer): Promise<string[]> {
  journey.lastIndex = answer;
  journey.indexed = true;
  const expectations = expectationsOf(step);
  const id = journey.product.configured ? registered(step).id : undefined;
  const subject: RunSubject = { product: journey.product, answer, ...(id === undefined ? {} : { source: id }) };
  const findings = await checkAll(INDEX_CHECKS, subject, expectations, ASKER);
  return 'exit' in expectations ? findings : [...noError(answer), ...findings];
}

function fillIn(step: Step, i: number): unknown {
  const text = JSON.stringify(step).replace(/\{i(?::0?(\d+))?\}/g, (_, width: string | undefined) =>
    String(i).padStart(Number(width ?? 0), '0'),
  );
  return JSON.parse(text);
}

function resultName(step: Step): string {
  return JSON.stringify([step['name'] ?? '', step['q'], step['filter'] ?? {}]);
}

function shape(hits: readonly Hit[]): string {
  return JSON.stringify(hits.map(({ path, lines, excerpt }) => [path, lines.start, lines.end, excerpt]));
}
