/**
 * SEM, whole answers: what a declared vocabulary does to search and context, to the package and its digest, and to what a server
 * remembers; and that a library without one is none the wiser.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ContextCache } from '../../src/app/asking/context-cache.js';
import { resolveConfig } from '../../src/app/configuration/config.js';
import { openContainer } from '../../src/app/container.js';
import { resolveAsk } from '../../src/app/identity.js';
import { learn } from '../../src/app/learning/learn.js';
import type { Library } from '../../src/app/library.js';
import type { Call } from '../../src/app/operations/catalogue.js';
import { context } from '../../src/app/operations/context.js';
import { packageReplay } from '../../src/app/operations/package-export.js';
import { search } from '../../src/app/operations/search.js';
import { vocabularyCheck, vocabularyShow } from '../../src/app/operations/vocabulary.js';
import type { Instant } from '../../src/kernel/clock.js';
import type { Digest } from '../../src/kernel/digest.js';
import { openLibrary } from '../../src/library.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const NOW = Date.UTC(2026, 10, 30, 12) as Instant;
const SOUND = `version: 1
concepts:
  - { id: slo, prefLabel: service level objective, altLabels: [SLO] }
  - { id: target, prefLabel: uptime promise, deprecated: true, replacedBy: slo }
`;

const folder = temporaryFolder();
const declare = (text: string) => writeFileSync(join(folder.path, 'vocabulary.yaml'), text);
const libraries: Library[] = [];

async function open(more: string): Promise<Library> {
  folder.write('colophon.yaml', `version: 1\nprofile: personal\nsources: [./docs]\n${more}`);
  const config = await resolveConfig({ env: { COLOPHON_HOME: join(folder.path, 'home') }, cwd: folder.path });
  const library = { ...(await openContainer(config, { now: () => NOW })), contexts: new ContextCache() };
  await learn(library);
  libraries.push(library);
  return library;
}

const callOf = (library: Library): Call => ({
  library,
  ask: resolveAsk(library.config, {}, { workload: 'workload://colophon/mcp', defaultClient: 'terminal' }, NOW),
  signal: new AbortController().signal,
  progress: () => undefined,
});
const find = (library: Library, query: string) => search.run(search.input.parse({ query }), callOf(library));
const told = (library: Library, query: string) => context.run(context.input.parse({ query }), callOf(library));
const versionsOf = async (library: Library, digest: string) => (await library.records.packages.get(digest as Digest))?.entry.body.versions;

let named: Library;
let plain: Library;

beforeAll(async () => {
  for (let at = 0; at < 8; at++) folder.write(`docs/lamp-${at}.md`, `# Lamp ${at}\n\nLamp number ${at} burns until the sun is up.\n`);
  folder.write('docs/promise.md', '# Promises\n\nThe service level objective of the pump is agreed in spring.\n');
  declare(SOUND);
  plain = await open('');
  named = await open('vocabulary: vocabulary.yaml\n');
});
afterAll(async () => {
  for (const library of libraries) await library.close();
  folder.dispose();
});

describe('a declared vocabulary', () => {
  it('IDX-04 finds what another name says, and the hit and its reason say by which', async () => {
    expect((await find(plain, 'SLO')).hits).toEqual([]);
    const [hit] = (await find(named, 'SLO')).hits;
    expect(hit?.path).toBe('promise.md');
    expect(hit?.why.matched[0]?.via).toEqual(['service level objective']);
    expect(hit?.reason).toContain('it says “service level objective” for “SLO”');
    const answer = await told(named, 'who agreed the SLO of the pump');
    expect(answer.items.map(({ path }) => path)).toContain('promise.md');
  });

  it('SEM-04 an old name is answered by what took its place, and the answer says so', async () => {
    const answer = await told(named, 'uptime promise');
    expect(answer.items.map(({ path }) => path)).toEqual(['promise.md']);
    expect(answer.problems.map(({ message }) => message)).toEqual([
      '“uptime promise” is an old name. Did you mean “service level objective”? Both were looked for.',
    ]);
  });

  it('SEM-07 is named by the packages compiled with it, and by no other', async () => {
    const query = 'who agreed the service level objective';
    const [withNames, without] = [await told(named, query), await told(plain, query)];
    const { version } = await vocabularyShow.run({ name: '' }, callOf(named));
    expect((await versionsOf(named, withNames.digest))?.vocabulary).toBe(version);
    expect(Object.keys((await versionsOf(plain, without.digest)) ?? {}).sort()).toEqual(
      ['analyzer', 'compiler', 'contextPolicy', 'manifest', 'rankingPolicy'].sort(),
    );
  });

  it('SEM-07 an edit counts for the next question of a process that is running, and nothing kept before it is given again', async () => {
    const query = 'what is the SLO of the pump';
    const before = await told(named, query);
    expect((await told(named, query)).digest).toBe(before.digest);
    declare(SOUND.replace('[SLO]', '[pump promise]'));
    try {
      const after = await told(named, query);
      expect(after.digest).not.toBe(before.digest);
      expect((await versionsOf(named, after.digest))?.vocabulary).not.toBe((await versionsOf(named, before.digest))?.vocabulary);
      declare(`# reviewed\n${SOUND}`);
      expect((await told(named, query)).digest).toBe(before.digest);
    } finally {
      declare(SOUND);
    }
  });

  it('SEM-07 PKG-11 a replay takes the names of the recording, and says so where they are not to be had', async () => {
    const { package: id } = await told(named, 'which SLO has the pump');
    const replay = () => packageReplay.run(packageReplay.input.parse({ name: id }), callOf(named));
    const again = await replay();
    expect(again.gaps).toEqual([]);
    expect(again.verdict).toBe('same');
    declare(SOUND.replace('[SLO]', '[SLO, pump promise]'));
    try {
      const { verdict, gaps } = await replay();
      expect(verdict).toBe('different');
      expect(gaps.map(({ detail }) => detail).join()).toContain('is not in the recording; names are looked for as written');
    } finally {
      declare(SOUND);
    }
  });

  it('is refused with file and line while it has an error, whatever is asked; check tells all', async () => {
    declare(SOUND.replace('replacedBy: slo', 'replacedBy: slow'));
    try {
      await expect(find(named, 'SLO')).rejects.toThrow(
        /vocabulary\.yaml:4: concepts\[1\]\.replacedBy must be the id of a concept, not `slow` \(did you mean slo\?\)/,
      );
      const { ok, findings } = await vocabularyCheck.run({}, callOf(named));
      expect(ok).toBe(false);
      expect(findings.map(({ line }) => line)).toEqual([4]);
      declare('version: 2\nconcepts: []\n');
      expect(await vocabularyCheck.run({}, callOf(named))).toMatchObject({ ok: false, version: null, findings: [{ line: 1 }] });
    } finally {
      declare(SOUND);
    }
    expect(await vocabularyCheck.run({}, callOf(named))).toMatchObject({ ok: true, concepts: 2, labels: 3, findings: [] });
  });

  it('shows what a name means, and faults on one it does not know', async () => {
    const { concepts, ambiguous } = await vocabularyShow.run({ name: 'uptime promises' }, callOf(named));
    expect(concepts).toMatchObject([{ id: 'target', deprecated: true, replacedBy: 'slo', standing: 'slo' }]);
    expect(ambiguous).toBe(false);
    await expect(vocabularyShow.run({ name: 'lamp' }, callOf(named))).rejects.toThrow('lamp');
    await expect(vocabularyShow.run({ name: 'nope' }, callOf(named))).rejects.toMatchObject({
      message: 'The name “nope” was not found.',
      hint: expect.stringContaining('colophon vocabulary show'),
    });
    await expect(vocabularyCheck.run({}, callOf(plain))).rejects.toThrow(/No vocabulary is configured in .*colophon\.yaml/);
    const library = await openLibrary({ root: folder.path });
    try {
      expect((await library.vocabulary.show('SLO')).concepts.map(({ id }) => id)).toEqual(['slo']);
      expect(await library.vocabulary.check()).toMatchObject({ ok: true, file: 'vocabulary.yaml' });
    } finally {
      await library.close();
    }
  });
});
