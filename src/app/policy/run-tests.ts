/**
 * Runs the tests that stand beside a policy: each case is decided the way a request would be, and compared with what it expects.
 *
 * Invariant: decided from reviewed text alone, files and declarations, so that a checkout without an index tells the same.
 */
import type { Instant } from '../../kernel/clock.js';
import { Fault } from '../../kernel/errors.js';
import { boundedText } from '../configuration/bounded-text.js';
import { readStrictYaml } from '../configuration/strict-yaml.js';
import type { Library } from '../library.js';
import { asks, type Decision, decide } from './decide.js';
import { instantIn } from './instant-in.js';
import { filedPage } from './page-compartment.js';
import { type PolicyCase, policyTests } from './policy-schema.js';

export interface CaseResult {
  readonly name: string;
  readonly line: number | undefined;
  readonly passed: boolean;
  readonly expected: string;
  readonly got: string;
  readonly because: string;
}

const MOST_BYTES = 4_194_304;

export async function runPolicyTests(library: Library, file: string, now: Instant, signal: AbortSignal): Promise<readonly CaseResult[]> {
  const { value, lineOf } = readStrictYaml(await boundedText(file, { mostBytes: MOST_BYTES }), file, policyTests);
  const results: CaseResult[] = [];
  for (const [index, each] of value.cases.entries()) {
    signal.throwIfAborted();
    const line = lineOf(['cases', index]);
    results.push(resultOf(each, line, await decisionOn(library, each, now, { file, line, signal })));
  }
  return results;
}

interface Where {
  readonly file: string;
  readonly line: number | undefined;
  readonly signal: AbortSignal;
}

async function decisionOn(library: Library, each: PolicyCase, now: Instant, { file, line, signal }: Where): Promise<Decision> {
  const { config } = library;
  const registration = config.sources.find(({ id }) => id === each.source);
  if (registration === undefined)
    throw new Fault('config/invalid', {
      file,
      ...(line === undefined ? {} : { line }),
      key: `the source of "${each.name}"`,
      expected: `one of ${config.sources.map(({ id }) => id).join(', ')}`,
    });
  const at = each.at === undefined ? now : (instantIn(each.at) ?? now);
  const { compartment } = await filedPage(library, each.source, each.path, signal);
  const { id, owner, freshnessSloMs } = registration;
  const { principal, via, tenant, purpose, ceiling, client } = each;
  const who = { principal, via, tenant, purpose, client, ...(ceiling === undefined ? {} : { ceiling }) };
  return decide(config, asks(config, who, at), { compartment, source: { id, owner, freshnessSloMs, state: each.state, confirmedAt: at } });
}

function resultOf({ name, expect, reason }: PolicyCase, line: number | undefined, { allowed, denial, steps }: Decision): CaseResult {
  const got = denial === undefined ? 'allow' : `deny (${denial})`;
  const isSame = allowed === (expect === 'allow') && (reason === undefined || reason === denial);
  const failing = steps.filter(({ holds }) => !holds).map(({ because }) => because);
  return {
    name,
    line,
    passed: isSame,
    expected: reason === undefined ? expect : `${expect} (${reason})`,
    got,
    because: (failing.length > 0 ? failing : steps.map(({ because }) => because)).join('; '),
  };
}
