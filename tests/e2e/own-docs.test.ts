/** Our own documents and example, indexed by our own connector: nothing to complain about, and every page is found by its name. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolveConfig } from '../../src/app/configuration/config.js';
import { openContainer } from '../../src/app/container.js';
import { resolveAsk } from '../../src/app/identity.js';
import { type LearnReport, learn } from '../../src/app/learning/learn.js';
import type { Library } from '../../src/app/library.js';
import type { Call } from '../../src/app/operations/catalogue.js';
import { get } from '../../src/app/operations/get.js';
import { search } from '../../src/app/operations/search.js';
import type { Instant } from '../../src/kernel/clock.js';

const NOW = Date.UTC(2026, 10, 30) as Instant;
let home: string;
let library: Library;
let call: Call;
let report: LearnReport;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'colophon-own-'));
  library = await openContainer(await resolveConfig({ env: { COLOPHON_HOME: home }, cwd: '.', root: 'docs' }), { now: () => NOW });
  report = await learn(library);
  const ask = resolveAsk(library.config, {}, { workload: 'workload://colophon/cli', defaultClient: 'terminal' }, NOW);
  call = { library, ask, signal: new AbortController().signal, progress: () => undefined };
});
afterAll(async () => {
  await library.close();
  rmSync(home, { recursive: true, force: true });
});

async function pages() {
  const snapshot = await library.reader.snapshot();
  const { resolveEligible } = await import('../../src/retrieval/eligible.js');
  const standings = await library.records.registry.standings();
  const eligible = await resolveEligible({ snapshot, standings, permissions: library.config.permissions }, call.ask);
  const found = await snapshot.pages(eligible, {}, { limit: 1_000 });
  await snapshot.close();
  return found;
}

describe('our own documents', () => {
  it('index without a problem', () => {
    expect(report.documents).toBeGreaterThan(15);
    expect(report.problems).toEqual([]);
  });

  it('carry title, description, status, owner and dates', async () => {
    const poor = (await pages()).filter(
      ({ meta }) => !meta.title || !meta.description || !meta.status || !meta.owner || !meta.verifiedAt || !meta.reviewBy,
    );
    expect(poor.map(({ path }) => path)).toEqual([]);
  });

  it('have no broken link', async () => {
    const broken: string[] = [];
    for (const { path } of await pages()) {
      const { links } = await get.run(get.input.parse({ path, links: true }), call);
      for (const link of links ?? []) if (link.broken) broken.push(`${path}:${link.line} ${link.href}`);
    }
    expect(broken).toEqual([]);
  });

  it('are each found by their title', async () => {
    const lost: string[] = [];
    for (const { path, title } of await pages()) {
      const { hits } = await search.run(search.input.parse({ query: title, limit: 3 }), call);
      if (!hits.some((hit) => hit.path === path)) lost.push(`${title} -> ${hits[0]?.path}`);
    }
    expect(lost).toEqual([]);
  });
});
