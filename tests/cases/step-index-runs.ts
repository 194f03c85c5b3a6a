/** Index runs that are interrupted, watched from outside, or repeated while others read. */
import { appendFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { argument, expectationsOf, numberArgument, type Step } from './case-file.js';
import { brief, checkAll, type Findings, verdict } from './check.js';
import { type Journey, registered } from './journey.js';
import { type Answer, type Product, type RegisteredFolder, readAnswer, saying } from './product.js';

export async function interruptIndex(step: Step, journey: Journey): Promise<Findings> {
  const folder = registered(step);
  journey.product.register(folder);
  journey.indexed = true;
  const moments = argument(step, 'after_ms');
  const findings: string[] = [];
  for (const afterMs of await withinRun(journey.product, folder, Array.isArray(moments) ? moments.map(Number) : [])) {
    const run = await journey.product.run([...journey.product.indexVerb(folder), '--json'], {}, { killAfterMs: afterMs });
    findings.push(
      ...verdict(run.signal === 'SIGKILL', `the run ended by itself before ${Math.round(afterMs)} ms, so nothing was interrupted`),
    );
  }
  return findings;
}

/** The moments as given, or moved forward in proportion when the whole run is shorter than they are. */
async function withinRun(product: Product, folder: RegisteredFolder, moments: readonly number[]): Promise<number[]> {
  const scratch = { env: { COLOPHON_HOME: join(product.workspace.base, 'scratch-home') } };
  const { elapsedMs: startMs } = await product.run(['status', '--json'], {}, scratch);
  const { run } = await product.ask(product.indexVerb(folder), {}, scratch);
  const last = Math.max(...moments);
  const total = moments.reduce((sum, moment) => sum + moment, 0);
  if (last < run.elapsedMs) return [...moments];
  // Runs go on where the last one was stopped: together they must stay below one whole run.
  const workMs = Math.max(50, run.elapsedMs - startMs);
  return moments.map((moment) => startMs + (0.7 * workMs * moment) / total);
}

export async function observeIndex(step: Step, journey: Journey): Promise<Findings> {
  const { product } = journey;
  const folder = registered(step);
  product.register(folder);
  journey.indexed = true;
  const updates: { readonly done: number; readonly total: number }[] = [];
  let probe: Promise<Answer> | undefined;
  let running = true;
  const run = await product.run(
    [...product.indexVerb(folder), '--json'],
    {},
    {
      onStderr: (text) => {
        for (const [, done, total] of text.matchAll(/(\d+)\s*(?:\/|of)\s*(\d+)/g))
          updates.push({ done: Number(done), total: Number(total) });
        if (running && updates.length > 0) probe ??= product.status();
      },
    },
  );
  running = false;
  const during = await probe;
  return checkAll<null>(
    {
      stderr_updates_at_least: (_, n) => verdict(updates.length >= Number(n), `${updates.length} updates on stderr: ${brief(run.stderr)}`),
      monotonic: () => {
        const back = updates.find(
          ({ done, total }, index) => total === updates[index - 1]?.total && done < (updates[index - 1]?.done ?? 0),
        );
        return verdict(back === undefined, `progress goes back to ${brief(back)}`);
      },
      total_known: () =>
        verdict(
          updates.some(({ total }) => total > 0),
          'no update names the total',
        ),
      stdout_machine_only: () => {
        readAnswer(run, 'index');
        return verdict(run.exit === 0, `exit ${run.exit}`);
      },
      status_during_run: () =>
        verdict(during !== undefined && !during.fault, `status during the run: ${brief(during?.json ?? 'could not be asked')}`),
    },
    null,
    expectationsOf(step),
  );
}

/** Edits a few pages and indexes, several times over. Which pages is worked out, not drawn. */
export async function indexLoop(step: Step, journey: Journey): Promise<Findings> {
  const root = journey.product.workspace.work;
  const pages = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .sort();
  const findings: string[] = [];
  for (let round = 0; round < numberArgument(step, 'times', 1); round += 1) {
    const wanted = Math.min(pages.length, numberArgument(step, 'touch_random', 10));
    for (let index = 0; index < wanted; index += 1) {
      const page = pages[(index * 7919 + round * 104_729) % pages.length];
      if (page !== undefined) appendFileSync(join(root, page), `\nEdit ${round} of this page.\n`);
    }
    const answer = await journey.product.index();
    findings.push(...verdict(answer.run.exit === 0 && !answer.fault, `index: exit ${answer.run.exit}, ${brief(saying(answer))}`));
  }
  return findings;
}
