/**
 * `npm run conformance -- SUITE [--node NODE] [--only scenario,…]`: the official MCP conformance suite against this server, twice.
 *
 * Once as it is served to agents, and once with the suite's own tools, prompts and resources behind the same door and the same transport:
 * what the product does not offer can be tried there. A failure is expected only where `expected.ts` says why; one that is not there,
 * and one that is there and does not fail, both fail the run. SUITE is the folder of `@modelcontextprotocol/conformance`.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import type { HttpHost } from '../../src/interfaces/http/http-host.js';
import { serveHttp } from '../../src/interfaces/http/serve.js';
import { httpWorld } from '../support/http-world.js';
import { EXPECTED, type Subject } from './expected.js';
import { conformanceServer } from './fixtures.js';

const REVISIONS = ['2026-07-28', '2025-11-25'] as const;
type Revision = (typeof REVISIONS)[number];

const GET_IT = [
  'The suite is not here. It needs Node 22 or newer and is no dependency of this project:',
  '  npm install --prefix SUITE @modelcontextprotocol/conformance@0.2.0-alpha.12',
  '  npm run conformance -- SUITE/node_modules/@modelcontextprotocol/conformance [--node NODE]',
].join('\n');

export async function main(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      node: { type: 'string', default: process.execPath },
      only: { type: 'string' },
      verbose: { type: 'boolean', default: false },
    },
  });
  const suite = positionals[0] === undefined ? undefined : resolve(positionals[0], 'dist/index.js');
  if (suite === undefined || !existsSync(suite)) return complain(GET_IT);
  const world = await httpWorld({ anonymous: true });
  const tally = { passed: 0, failed: 0 };
  try {
    for (const subject of ['product', 'fixtures'] as const) {
      const host = hostOf(world.host, subject);
      const server = await serveHttp(host);
      for (const revision of REVISIONS) {
        const asked = { suite, node: values.node, url: `http://127.0.0.1:${server.port}/mcp`, revision };
        const found = (await runSuite(asked)).filter(({ scenario }) => values.only?.split(',').includes(scenario) ?? true);
        report(subject, revision, found, tally, values.verbose);
      }
    }
  } finally {
    world.stop.abort();
    await world.dispose();
  }
  say(`${tally.passed} passed, ${tally.failed} failed`);
  return tally.failed === 0 ? 0 : 1;
}

function hostOf(host: HttpHost, subject: Subject): HttpHost {
  const settings = { ...host.settings, port: 0 };
  if (subject === 'product') return { ...host, settings };
  // The handler of the door takes either; only this one knows the headers that a tool asks for.
  return { ...host, settings, mcp: () => conformanceServer() as unknown as ReturnType<HttpHost['mcp']> };
}

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

interface ScenarioResult {
  readonly scenario: string;
  readonly checks: readonly Check[];
}

interface Asked {
  readonly suite: string;
  readonly node: string;
  readonly url: string;
  readonly revision: Revision;
}

async function runSuite({ suite, node, url, revision }: Asked): Promise<readonly ScenarioResult[]> {
  const out = mkdtempSync(join(tmpdir(), 'colophon-conformance-'));
  try {
    const given = [suite, 'server', '--url', url, '--requirements', revision, '--output-dir', out];
    // It ends with 1 when anything failed; what failed is in its files.
    await promisify(execFile)(node, given, { timeout: 600_000, maxBuffer: 64 * 1024 * 1024 }).catch(
      (error: { readonly code?: unknown }) => {
        if (error.code !== 1) throw error;
      },
    );
    const results = readdirSync(out).map((name): ScenarioResult => {
      const [, scenario = name] = /^server-(.*)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(name) ?? [];
      return { scenario, checks: JSON.parse(readFileSync(join(out, name, 'checks.json'), 'utf8')) as readonly Check[] };
    });
    if (results.length === 0) throw new Error(`the suite tried nothing at ${url}; does this Node run it?`);
    return results.sort((a, b) => (a.scenario < b.scenario ? -1 : 1));
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

function report(
  subject: Subject,
  revision: Revision,
  results: readonly ScenarioResult[],
  tally: { passed: number; failed: number },
  verbose: boolean,
): void {
  say(`\n${subject}, ${revision}: ${results.length} scenarios`);
  for (const { scenario, checks } of results) {
    const expected = EXPECTED.find((each) => each.subject === subject && each.revisions.includes(revision) && each.scenario === scenario);
    const failures = checks.filter(({ status }) => status === 'FAILURE');
    const odd = failures.filter(({ id }) => expected === undefined || !(expected.checks?.includes(id) ?? true));
    const passes = checks.filter(({ status }) => status === 'SUCCESS').length;
    const isStale = expected !== undefined && failures.length === 0;
    const isFine = odd.length === 0 && !isStale;
    if (isFine) tally.passed += 1;
    else tally.failed += 1;
    const mark = isFine ? (failures.length === 0 ? 'ok' : 'expected') : 'FAILED';
    say(
      `${mark.padEnd(9)} ${scenario.padEnd(46)} ${passes} passed, ${failures.length} failed${mark === 'expected' ? `: ${expected?.why}` : ''}`,
    );
    if (isStale) say('          passes now: take it out of tests/conformance/expected.ts');
    for (const { id, status, errorMessage = '' } of verbose ? checks.filter((each) => each.status !== 'SUCCESS') : odd)
      say(`          ${status} ${id}: ${errorMessage.replace(/\s+/g, ' ').slice(0, 400)}`);
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function complain(message: string): number {
  process.stderr.write(`${message}\n`);
  return 2;
}
