/**
 * PIT-22, INJ-12: a citation from outside of what was put before the author stays unverified, whether or not the library holds such a
 * page; and one that stood there is stale once its page has changed. The fixture is a checker that asks the library instead.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resolveConfig } from '../../src/app/configuration/config.js';
import { openContainer } from '../../src/app/container.js';
import { resolveAsk } from '../../src/app/identity.js';
import { learn } from '../../src/app/learning/learn.js';
import type { Library } from '../../src/app/library.js';
import type { Call } from '../../src/app/operations/catalogue.js';
import { type CitationsAnswer, citationsCheck } from '../../src/app/operations/citations-check.js';
import { type ContextAnswer, context } from '../../src/app/operations/context.js';
import { search } from '../../src/app/operations/search.js';
import { type CitedItem, judgeCitations } from '../../src/context/citations.js';
import type { Instant } from '../../src/kernel/clock.js';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js';

let folder: TemporaryFolder;
let library: Library;
let given: ContextAnswer;
beforeEach(async () => {
  folder = temporaryFolder();
  folder.write('docs/ops/keys.md', '# Signing keys\n\n## Rotate a signing key\n\nRun `keyctl rotate` and restart the signer.\n');
  folder.write('docs/ops/gauges.md', '# Gauges\n\nThe quokka gauge is read at noon.\n');
  folder.write('docs/hidden/pay.md', '---\nsensitivity: private\n---\n# Pay\n\nThe quokka keeper earns ninety.\n');
  const env = { COLOPHON_HOME: join(folder.path, 'home') };
  const config = await resolveConfig({ env, cwd: folder.path, folder: join(folder.path, 'docs') });
  library = await openContainer(config, { now: () => Date.UTC(2026, 10, 30) as Instant });
  await learn(library, { full: true });
  given = await context.run(context.input.parse({ query: 'how do I rotate a signing key?' }), callAs('claude-code'));
  expect(given.items.map(({ path }) => path)).toEqual(['ops/keys.md']);
});
afterEach(async () => {
  await library.close();
  folder.dispose();
});

function callAs(client: string): Call {
  const ask = resolveAsk(library.config, { client }, { workload: 'workload://colophon/cli', defaultClient: client }, library.clock.now());
  return { library, ask, signal: new AbortController().signal, progress: () => undefined };
}
const check = (text: string, client = 'claude-code'): Promise<CitationsAnswer> =>
  citationsCheck.run(citationsCheck.input.parse({ text, package: given.digest }), callAs(client));
const statuses = ({ citations }: CitationsAnswer) => citations.map(({ text, status }) => `${text} ${status}`);

/** Every page and passage there is, given or not. */
async function everything(): Promise<CitedItem[]> {
  const { hits } = await search.run(search.input.parse({ query: 'quokka gauge signing key pay keeper' }), callAs('terminal'));
  return hits.map(({ artifact, source, path, version, anchor, lines }, position) => ({
    ...{ position, artifact, source, path, anchor, lines },
    blob: version.blob,
  }));
}

describe('PIT-22 citations of what was not given', () => {
  it('stay unverified although the library holds the page, and in the same words as where it does not', async () => {
    const all = await everything();
    const outsiders = all.filter(({ path }) => path !== 'ops/keys.md');
    expect(outsiders.map(({ path }) => path).sort()).toEqual(['hidden/pay.md', 'ops/gauges.md']);
    const source = given.items[0]?.source ?? '';
    for (const { artifact, path } of [...outsiders, { artifact: `ka_${'0'.repeat(32)}`, path: 'ops/nowhere.md' }]) {
      const found = await check(`So it is: ${artifact}, ${path}, ${path}:1-3, colophon://page/${source}/${path} [9]`);
      expect(found.counts, path).toEqual({ verified: 0, unverified: 5, stale: 0 });
      expect(new Set(found.citations.map(({ reason }) => reason))).toEqual(new Set(['not in the package']));
      expect(found.citations.flatMap(({ artifacts }) => artifacts)).toEqual([]);
      expect(found.ok).toBe(false);
    }
  });

  it('the fixture: a checker that asks the library upgrades them, and would be seen', async () => {
    const all = await everything();
    const upgraded = judgeCitations('ops/gauges.md and hidden/pay.md', all).filter(({ reason }) => reason === '');
    expect(upgraded.map(({ text }) => text)).toEqual(['ops/gauges.md', 'hidden/pay.md']);
  });

  it('what was given is verified in every form, and nothing else in the same answer changes that', async () => {
    const [item] = given.items;
    if (item === undefined) throw new Error('nothing was given');
    const { artifact, path, source, lines, anchor } = item;
    const place = `${path}:${lines.start}-${lines.end}`;
    const found = await check(`[1], ${artifact}, ${path}, ${place}, colophon://page/${source}/${path}#${anchor}`);
    expect([found.ok, found.counts]).toEqual([true, { verified: 5, unverified: 0, stale: 0 }]);
    expect(statuses(await check(`${place} and ops/gauges.md`))).toEqual([`${place} verified`, 'ops/gauges.md unverified']);
    expect((await check('No source at all.')).ok).toBe(false);
  });

  it('a page that was given is stale once it has changed or gone, and an outsider that changed is no more than an outsider', async () => {
    const artifact = given.items[0]?.artifact ?? '';
    folder.write(
      'docs/ops/keys.md',
      '# Signing keys\n\n## Rotate a signing key\n\nRun `keyctl rotate` and restart the signer.\n\nTwice.\n',
    );
    folder.write('docs/ops/gauges.md', '# Gauges\n\nThe quokka gauge is read at two.\n');
    await learn(library, {});
    const changed = await check(`ops/keys.md, ${artifact}, ops/gauges.md`, 'terminal');
    expect(statuses(changed)).toEqual(['ops/keys.md stale', `${artifact} stale`, 'ops/gauges.md unverified']);
    expect(changed.ok).toBe(false);
    rmSync(join(folder.path, 'docs/ops/keys.md'));
    await learn(library, {});
    expect((await check('ops/keys.md', 'terminal')).citations).toMatchObject([{ status: 'stale', reason: 'the page is gone since' }]);
  });

  it('what the caller brought along is no page, so it is never stale', async () => {
    const items = [{ class: 'tool-results', text: 'The signer restarted at noon.', origin: 'journalctl', tier: 'untrusted' }];
    const own = await context.run(
      context.input.parse({ query: 'how do I rotate a signing key?', profile: 'attempt', items }),
      callAs('terminal'),
    );
    const brought = own.items.find(({ source }) => source === '@caller');
    expect(brought?.artifact).toMatch(/^ki_/);
    const found = await citationsCheck.run(
      citationsCheck.input.parse({ text: `It did: ${brought?.artifact} [${(brought?.position ?? 0) + 1}]`, package: own.digest }),
      callAs('terminal'),
    );
    expect([found.ok, found.counts]).toEqual([true, { verified: 2, unverified: 0, stale: 0 }]);
  });

  it('the package of another is none: nothing is told of it', async () => {
    const own = await context.run(context.input.parse({ query: 'what does the quokka keeper earn?' }), callAs('terminal'));
    const asked = citationsCheck.run(citationsCheck.input.parse({ text: '[1]', package: own.digest }), callAs('claude-code'));
    await expect(asked).rejects.toMatchObject({ code: 'not-found' });
  });
});
