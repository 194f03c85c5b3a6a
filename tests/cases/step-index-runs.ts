/** Index runs that are interrupted, watched from outside, or repeated while others read. */
import { appendFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { argument, expectationsOf, numberArgument, type Step } from './case-file.js';
import { brief, checkAll, type Findings, verdict } from './check.js';
import { type Journey, registered } from './journey.js';
import { type Answer, type Product, readAnswer, saying } from './product.js';

/**
 * Kills one run after the other while it works. The moments a case gives are shares of the work, not of the clock: a kill that
 * comes before the first page or after the last interrupts nothing.
 */
export async function interruptIndex(step: Step, journey: Journey): Promise<Findings> {
  const { product } = journey;
  const folder = registered(step);
  product.register(folder);
  journey.indexed = true;
  const given = argument(step, 'after_ms');
  const moments = Array.isArray(given) ? given.map(Number) : [];
  const total = moments.reduce((sum, moment) => sum + moment, 0);
  const findings: string[] = [];
  for (const moment of moments) {
    const killed = await killAtShare(product, product.indexVerb(folder), (0.7 * moment) / total);
    findings.push(...verdict(killed, `the run ended by itself before it could be interrupted at ${moment} ms`));
  }
  return verdict(moments.length > 0, 'no moments are given').concat(findings);
}

function killAtShare(product: Product, verb: readonly string[], share: number): Promise<boolean> {
  const child = product.workspace.start(process.execPath, product.argv([...verb, '--json']));
  child.stdin?.end();
  child.stdout?.resume();
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (_, signal) => resolve(signal === 'SIGKILL'));
    child.stderr?.on('data', (chunk: Buffer) => {
      const reached = progressIn(chunk.toString('utf8')).some(({ done, total }) => total > 0 && done < total && done >= share * total);
      if (reached) child.kill('SIGKILL');
    });
  });
}

interface Update {
  readonly done: number;
  readonly total: number;
}

function progressIn(text: string): Update[] {
  return [...text.matchAll(/(\d+)\s*(?:\/|of)\s*(\d+)/g)].map(([, done, total]) => ({ done: Number(done), total: Number(total) }));
}

export async function observeIndex(step: Step, journey: Journey): Promise<Findings> {
  const { product } = journey;
  const folder = registered(step);
  product.register(folder);
  journey.indexed = true;
  const updates: Update[] = [];
  let probe: Promise<Answer> | undefined;
  let running = true;
  const run = await product.run(
    [...product.indexVerb(folder), '--json'],
    {},
    {
      onStderr: (text) => {
        updates.push(...progressIn(text));
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
