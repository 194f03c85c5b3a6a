/** Conversations with the stdio server. */
import { argument, expectationsOf, numberArgument, record, type Step, textArgument } from './case-file.js';
import { brief, checkAll, type Findings, strings, verdict } from './check.js';
import { MCP_CHECKS } from './check-mcp.js';
import { STATUS_CHECKS } from './check-run.js';
import { noError } from './check-search.js';
import { ensureIndexed, type Journey } from './journey.js';
import { McpSession, type Message, type Reply } from './mcp-session.js';
import { list } from './product.js';

/** One finding for each question that was not answered with hits. */
export async function queryLoop(step: Step, journey: Journey): Promise<Findings> {
  await ensureIndexed(journey);
  const session = new McpSession(journey.product);
  await session.initialize();
  const errors: string[] = [];
  for (let n = 1; n <= numberArgument(step, 'n', 1); n += 1) {
    const reply = await session.send({
      jsonrpc: '2.0',
      id: n,
      method: 'tools/call',
      params: { name: '$SEARCH', arguments: { query: textArgument(step, 'q') } },
    });
    const result = reply?.message['result'] as Readonly<Record<string, unknown>> | undefined;
    const hits = list((result?.['structuredContent'] as Readonly<Record<string, unknown>> | undefined)?.['hits']);
    if (result === undefined || result['isError'] === true || hits.length === 0) errors.push(`query ${n}: ${brief(reply?.message, 300)}`);
  }
  const { exit } = await session.end(5_000);
  if (exit !== 0) errors.push(`the server ended with ${exit}`);
  return errors;
}

export async function converse(step: Step, journey: Journey): Promise<Findings> {
  const expectations = expectationsOf(step);
  if (expectations['fresh_home'] !== true) await ensureIndexed(journey);
  const sent = messages(argument(step, 'send'));
  const env = expectations['env'] === undefined ? {} : (record(expectations['env'], 'env') as Readonly<Record<string, string>>);
  const session = new McpSession(journey.product, flagsOf(step), env);
  const replies: Reply[] = [];
  const findings: string[] = [];
  try {
    for (const message of sent) {
      const reply = await session.send(message);
      if (reply !== undefined) replies.push(reply);
    }
    findings.push(
      ...(await checkAll(MCP_CHECKS, { product: journey.product, session, sent, replies }, expectations, new Set(['fresh_home', 'env']))),
    );
  } finally {
    const { exit } = await session.end(5_000);
    findings.push(...verdict(exit === 0, `the server ended with ${exit} after its input did`));
  }
  return findings;
}

export async function endOfInput(step: Step, journey: Journey): Promise<Findings> {
  const expectations = expectationsOf(step);
  const withinMs = Number(expectations['within_s'] ?? 3) * 1000;
  if (step['after'] !== undefined) await ensureIndexed(journey);
  const session = new McpSession(journey.product, flagsOf(step));
  for (const message of messages(step['after'] ?? [])) await session.send(message);
  const ended = await session.end(withinMs);
  return checkAll<null>(
    {
      exit: (_, code) => verdict(ended.exit === code, `exit ${ended.exit}: ${brief(session.stderr)}`),
      within_s: () => verdict(!ended.timedOut, `still running ${withinMs} ms after its input ended`),
      db_unlocked: async () => {
        const index = await journey.product.index();
        const { json } = await journey.product.status();
        return [
          ...noError(index),
          ...(await checkAll(STATUS_CHECKS, { product: journey.product, answer: { ...index, json } }, { integrity_ok: true })),
        ];
      },
    },
    null,
    expectations,
  );
}

function messages(value: unknown): Message[] {
  if (!Array.isArray(value)) throw new Error('a list of messages is needed');
  return value as Message[];
}

function flagsOf(step: Step): string[] {
  return step['flags'] === undefined ? [] : strings(step['flags']);
}
