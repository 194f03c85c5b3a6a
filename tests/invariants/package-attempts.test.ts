/**
 * ATT-01, ATT-02, ATT-04, ATT-06, PKG-03, PKG-04, PKG-07, PKG-11, PKG-12, PKG-13: a package belongs to an attempt, is used only
 * while it may be, and comes out the same again from its recorded versions, also in another clone.
 *
 * A library over a git repository, by the real path: commits, connector, ingest, index, operations.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { resolveConfig } from '../../src/app/configuration/config.js';
import { openContainer } from '../../src/app/container.js';
import { resolveAsk } from '../../src/app/identity.js';
import { learn } from '../../src/app/learning/learn.js';
import type { Library } from '../../src/app/library.js';
import type { Call, Operation } from '../../src/app/operations/catalogue.js';
import { context } from '../../src/app/operations/context.js';
import { packageExport, packageReplay } from '../../src/app/operations/package-export.js';
import { packageBind, packageList, packageShow } from '../../src/app/operations/package-ledger.js';
import { packageCheck, packageDiff, packageVerify } from '../../src/app/operations/package-verify.js';
import { bundleText, readBundle } from '../../src/context/bundle.js';
import type { Instant } from '../../src/kernel/clock.js';
import { sha256 } from '../../src/kernel/digest.js';
import { Fault } from '../../src/kernel/errors.js';
import { gitIn, temporaryFolder } from '../support/temporary-folder.js';

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 10, 30, 12) as Instant;
const folder = temporaryFolder();
afterAll(() => folder.dispose());
const root = join(folder.path, 'library');
const repository = join(root, 'docs');
const git = (...args: string[]) => gitIn(repository, args);

const config = (ref: string) =>
  `version: 1\nprofile: personal\nsources:\n  - id: docs\n    location: { path: ./docs${ref === '' ? '' : `, ref: ${ref}`} }\n`;

function lay(path: string, text: string): void {
  writeFileSync(join(repository, path), text);
}

function commit(message: string): string {
  git('add', '.');
  git('commit', '-q', '-m', message);
  return git('rev-parse', 'HEAD').trim();
}

async function opened<T>(body: (library: Library) => Promise<T>, now: Instant = NOW, ref = 'HEAD'): Promise<T> {
  writeFileSync(join(root, 'colophon.yaml'), config(ref));
  const library = await openContainer(await resolveConfig({ env: {}, cwd: root }), { now: () => now });
  try {
    await learn(library);
    return await body(library);
  } finally {
    await library.close();
  }
}

function callOf(library: Library): Call {
  const ask = resolveAsk(library.config, {}, { workload: 'workload://colophon/cli', defaultClient: 'terminal' }, library.clock.now());
  return { library, ask, signal: new AbortController().signal, progress: () => undefined };
}

async function run<I extends z.ZodType, O extends z.ZodType>(operation: Operation<I, O>, input: z.input<I>, library: Library) {
  return operation.run(operation.input.parse(input), callOf(library));
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'none';
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
}

const ASKED = { query: 'open the drain valve' };
const VALVE = '# Drain valve\n\nOpen the drain valve before the winter.\n\n## Closing\n\nClose the drain valve in spring.\n';

beforeEach(() => {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(repository, { recursive: true });
  git('init', '-q');
  lay('valve.md', VALVE);
  lay('pump.md', '# Pump\n\nThe pump is greased on Mondays.\n');
  commit('one');
});

describe('attempts', () => {
  it('ATT-01 ATT-02 PKG-04 a retry has a package of its own, of the same digest while nothing changed', async () => {
    await opened(async (library) => {
      const manifest = sha256('tools and model');
      const first = await run(context, { ...ASKED, attempt: 'run-1', manifest }, library);
      const again = await run(context, { ...ASKED, attempt: 'run-1', manifest }, library);
      const retry = await run(context, { ...ASKED, attempt: 'run-2', manifest }, library);
      expect(again.package).toBe(first.package);
      expect(retry.digest).toBe(first.digest);
      expect(retry.package).not.toBe(first.package);
      const { bindings } = await run(packageShow, { name: first.package }, library);
      expect(bindings.map(({ attempt, manifest: bound }) => [attempt, bound])).toEqual([
        ['run-1', manifest],
        ['run-2', manifest],
      ]);
      expect((await run(packageList, { attempt: 'run-2' }, library)).packages).toMatchObject([{ package: retry.package }]);
      expect((await run(packageList, { attempt: 'run-3' }, library)).packages).toEqual([]);
      expect(await run(packageShow, { name: retry.package.slice(0, 12) }, library)).toMatchObject({ digest: first.digest });
    });
  });

  it('PKG-03 an attempt runs under one manifest; ATT-06 without a name there is an attempt all the same', async () => {
    await opened(async (library) => {
      await run(context, { ...ASKED, attempt: 'run-1', manifest: sha256('a') }, library);
      expect(await codeOf(run(context, { ...ASKED, attempt: 'run-1', manifest: sha256('b') }, library))).toBe('attempt/other-manifest');
      expect(await codeOf(run(context, { ...ASKED, attempt: 'run-1' }, library))).toBe('attempt/other-manifest');
      const local = await run(context, ASKED, library);
      expect(local.attempt).toMatch(/^attempt-[0-9a-f-]{36}$/);
      expect(local.package).toMatch(/^kp_[0-9a-f]{32}$/);
    });
  });

  it('PKG-07 PKG-13 after its expiry a package may be read, and not used', async () => {
    const { digest } = await opened((library) => run(context, { ...ASKED, attempt: 'run-1' }, library));
    const on = async (days: number) =>
      opened(
        async (library) => ({
          bound: await codeOf(run(packageBind, { name: digest, attempt: 'run-2' }, library)),
          checked: (await run(packageCheck, { name: digest }, library)).reasons.map(({ code }) => code),
          shown: (await run(packageShow, { name: digest }, library)).usable,
          expired: (await run(packageList, { usable: false }, library)).packages.length,
        }),
        (NOW + days * DAY_MS) as Instant,
      );
    expect(await on(7)).toEqual({ bound: 'none', checked: [], shown: true, expired: 0 });
    expect(await on(8)).toEqual({ bound: 'package/not-usable', checked: ['expired'], shown: false, expired: 1 });
  });
});

describe('ATT-04 check', () => {
  const judged = async (change: () => void) => {
    const { digest } = await opened((library) => run(context, ASKED, library));
    change();
    return opened(async (library) => {
      const { verdict, reasons } = await run(packageCheck, { name: digest }, library);
      return { verdict, codes: [...new Set(reasons.map(({ code }) => code))] };
    });
  };

  it.each([
    ['nothing', () => undefined, { verdict: 'fresh', codes: [] }],
    [
      'an edit elsewhere on the page',
      () => {
        lay('valve.md', `${VALVE}\n## Storing\n\nDry.\n`);
        commit('two');
      },
      { verdict: 'fresh', codes: ['page-edited'] },
    ],
    [
      'an edit of a passage',
      () => {
        lay('valve.md', VALVE.replace('winter', 'autumn'));
        commit('two');
      },
      { verdict: 'stale', codes: ['passage-changed', 'page-edited'] },
    ],
    [
      'a page that supersedes it',
      () => {
        lay('valve.md', `---\nsuperseded_by: pump.md\n---\n${VALVE}`);
        commit('two');
      },
      { verdict: 'unusable', codes: ['page-retired', 'page-edited'] },
    ],
    [
      'a page that is gone',
      () => {
        rmSync(join(repository, 'valve.md'));
        commit('two');
      },
      { verdict: 'unusable', codes: ['page-gone'] },
    ],
  ])('%s', async (_, change, wanted) => {
    expect(await judged(change)).toEqual(wanted);
  });
});

describe('verify asks the source', () => {
  it('which still says it, says something else, or has no such page', async () => {
    const { digest } = await opened((library) => run(context, ASKED, library));
    const said = () => opened(async (library) => (await run(packageVerify, { name: digest }, library)).items.map((item) => item.said));
    expect(await said()).toEqual(['as-cited', 'as-cited']);
    lay('valve.md', VALVE.replace('winter', 'autumn'));
    commit('two');
    expect(await said()).toEqual(['changed', 'still-says']);
    rmSync(join(repository, 'valve.md'));
    commit('three');
    expect(await said()).toEqual(['gone', 'gone']);
  });
});

describe('PKG-11 PKG-12 replay', () => {
  const FILE = join(folder.path, 'bundle.json');

  it('gives the same digest after the page was edited, here and in another clone from the bundle alone', async () => {
    const { digest } = await opened((library) => run(context, ASKED, library));
    lay('valve.md', VALVE.replace('winter', 'autumn'));
    commit('two');
    await opened(async (library) => {
      expect(await run(packageReplay, { name: digest }, library)).toMatchObject({ verdict: 'same', replayed: digest, gaps: [] });
      const { text, replayable } = await run(packageExport, { name: digest }, library);
      expect(replayable).toBe(true);
      expect((await run(packageExport, { name: digest }, library)).text).toBe(text);
      expect(text).not.toContain(folder.path);
      writeFileSync(FILE, text);
    });
    const clone = join(folder.path, 'elsewhere', 'a clone');
    gitIn(folder.path, ['clone', '-q', repository, clone]);
    await elsewhere(async (library) => {
      const there = await run(packageReplay, { bundle: FILE, source: [`docs=${clone}`] }, library);
      expect(there).toMatchObject({ digest, replayed: digest, verdict: 'same', items: { same: 2, of: 2 }, gaps: [] });
      expect(await run(packageVerify, { bundle: FILE }, library)).toMatchObject({ ok: true, digest });
    });
    rmSync(clone, { recursive: true });
  });

  it('asks again with the facts and the texts that the caller brought, and says what of them is not kept', async () => {
    const text = 'The valve was found open on Friday.';
    const brought = { class: 'tool-results' as const, text, origin: 'sensor read valve', tier: 'trusted' as const };
    const asked = { ...ASKED, profile: 'attempt' as const, consequential: true, facts: ['valve.md'], items: [brought] };
    await opened(async (library) => {
      const made = await run(context, asked, library);
      expect(made).toMatchObject({ status: 'frozen', facts: [{ status: 'resolved' }] });
      expect(made.items.map(({ source }) => source)).toContain('@caller');
      expect(await run(packageReplay, { name: made.digest }, library)).toMatchObject({ verdict: 'same', gaps: [] });
      expect(await run(packageCheck, { name: made.digest }, library)).toMatchObject({ verdict: 'fresh' });
      const { items } = await run(packageVerify, { name: made.digest }, library);
      expect(items.map(({ source, said }) => [source, said])).toContainEqual(['@caller', null]);
      const long = { ...brought, text: 'The valve was found open. '.repeat(3_000) };
      const cut = await run(context, { ...asked, profile: 'preamble', items: [brought, long] }, library);
      expect(cut.excluded.map(({ source }) => source)).toContain('@caller');
      const { gaps } = await run(packageReplay, { name: cut.digest }, library);
      expect(gaps).toMatchObject([{ kind: 'recording', detail: expect.stringContaining('left out is not kept: 1') }]);
    });
  });

  it('puts a source into the state it was in', async () => {
    await opened(async (library) => {
      await library.records.registry.move('docs', 'degrade', { actor: 'person:ada', reason: 'the forge is down' }, NOW);
      const made = await run(context, ASKED, library);
      expect(made.items[0]?.labels).toContain('degraded-source');
      expect(await run(packageReplay, { name: made.digest }, library)).toMatchObject({ verdict: 'same', gaps: [] });
      expect((await run(packageCheck, { name: made.digest }, library)).reasons).toMatchObject([
        { code: 'source-degraded', weight: 'note' },
      ]);
    });
  });

  it('reads a work tree from its commit, and says so of what was never committed', async () => {
    const { digest } = await opened((library) => run(context, ASKED, library), NOW, '');
    await opened(async (library) => expect((await run(packageReplay, { name: digest }, library)).verdict).toBe('same'), NOW, '');
    lay('valve.md', VALVE.replace('winter', 'autumn'));
    const loose = await opened((library) => run(context, ASKED, library), NOW, '');
    await opened(
      async (library) => {
        const again = await run(packageReplay, { name: loose.digest }, library);
        expect(again).toMatchObject({ verdict: 'different', items: { same: 1, of: 2 } });
        expect(again.gaps).toMatchObject([{ kind: 'page', source: 'docs', path: 'valve.md' }]);
        expect(again.gaps[0]?.detail).toContain('was not committed');
        expect(again.diff?.items).toMatchObject([{ change: 'changed', path: 'valve.md' }]);
      },
      NOW,
      '',
    );
  });

  it('names the source nobody pointed at, and the revision a clone does not have', async () => {
    const first = git('rev-parse', 'HEAD').trim();
    await opened(async (library) => {
      await run(context, ASKED, library);
      writeFileSync(FILE, (await run(packageExport, {}, library)).text);
    });
    const other = join(folder.path, 'unrelated');
    mkdirSync(other);
    gitIn(other, ['init', '-q']);
    writeFileSync(join(other, 'valve.md'), VALVE);
    gitIn(other, ['add', '.']);
    gitIn(other, ['commit', '-q', '-m', 'another history']);
    await elsewhere(async (library) => {
      const nowhere = await run(packageReplay, { bundle: FILE }, library);
      expect(nowhere).toMatchObject({ verdict: 'impossible', replayed: '', gaps: [{ kind: 'source', source: 'docs' }] });
      const lacking = await run(packageReplay, { bundle: FILE, source: [`docs=${other}`] }, library);
      expect(lacking).toMatchObject({ verdict: 'impossible', gaps: [{ kind: 'revision', source: 'docs', recorded: first }] });
      expect(await codeOf(run(packageReplay, { bundle: FILE, source: ['docs'] }, library))).toBe('input/invalid');
    });
    rmSync(other, { recursive: true });
  });

  it('names a version that is another one than that of the recording', async () => {
    await opened(async (library) => {
      await run(context, ASKED, library);
      const { text } = await run(packageExport, {}, library);
      const { content } = readBundle(text).bundle;
      const bindings = content.bindings.map((each) => ({ ...each, versions: { ...each.versions, segmenter: 'segmenter@0' } }));
      writeFileSync(FILE, bundleText({ ...content, bindings }));
      const again = await run(packageReplay, { bundle: FILE, source: [`docs=${repository}`] }, library);
      expect(again.gaps).toMatchObject([{ kind: 'version', recorded: 'segmenter@0' }]);
      const forged = { ...content, recording: content.recording && { ...content.recording, rankingPolicy: { version: 'mine' } } };
      writeFileSync(FILE, bundleText(forged));
      const refused = await run(packageReplay, { bundle: FILE, source: [`docs=${repository}`] }, library);
      expect(refused).toMatchObject({ verdict: 'impossible', gaps: [{ kind: 'policy' }] });
    });
  });

  it('refuses a bundle that was touched', async () => {
    await opened(async (library) => {
      await run(context, ASKED, library);
      writeFileSync(FILE, (await run(packageExport, {}, library)).text);
    });
    writeFileSync(FILE, readFileSync(FILE, 'utf8').replace('winter', 'wintry'));
    await elsewhere(async (library) => {
      expect(await codeOf(run(packageShow, { bundle: FILE }, library))).toBe('bundle/altered');
      expect(await codeOf(run(packageReplay, { bundle: FILE }, library))).toBe('bundle/altered');
      expect(await run(packageVerify, { bundle: FILE }, library)).toMatchObject({
        ok: false,
        reason: expect.stringContaining('was changed'),
        items: [],
      });
      writeFileSync(FILE, '{');
      expect(await codeOf(run(packageVerify, { bundle: FILE }, library))).toBe('input/invalid');
    });
  });
});

describe('diff', () => {
  it('says which change made each difference', async () => {
    const before = await opened((library) => run(context, ASKED, library));
    lay('valve.md', VALVE.replace('winter', 'autumn'));
    lay('drains.md', '# Drain valve of the roof\n\nOpen the drain valve of the roof first.\n');
    commit('two');
    await opened(async (library) => {
      const after = await run(context, ASKED, library);
      const { same, items, axes } = await run(packageDiff, { before: before.digest, after: after.digest }, library);
      expect(same).toBe(false);
      expect(axes.map(({ kind }) => kind)).toEqual(['library']);
      const found = items.map(({ change, path, causes }) => [change, path, causes.map(({ kind, certain }) => `${kind} ${certain}`)]);
      expect(found).toContainEqual(['changed', 'valve.md', ['page-edited true']]);
      expect(found).toContainEqual(['in', 'drains.md', ['library true']]);
      const smaller = await run(context, { ...ASKED, budget: 120 }, library);
      const cut = await run(packageDiff, { before: after.digest, after: smaller.digest }, library);
      expect(cut.items.length).toBeGreaterThan(0);
      for (const { change, causes } of cut.items) expect([change, causes.map(({ kind }) => kind)]).toEqual(['out', ['budget']]);
      expect((await run(packageDiff, { before: after.digest, after: after.digest }, library)).same).toBe(true);
    });
  });
});

/** A library that holds nothing of this one. */
async function elsewhere(body: (library: Library) => Promise<void>): Promise<void> {
  const empty = join(folder.path, 'empty');
  mkdirSync(empty, { recursive: true });
  const library = await openContainer(
    await resolveConfig({ env: { COLOPHON_HOME: join(folder.path, 'state') }, cwd: empty, root: empty }),
    {
      now: () => NOW,
    },
  );
  try {
    await body(library);
  } finally {
    await library.close();
    rmSync(empty, { recursive: true, force: true });
  }
}
