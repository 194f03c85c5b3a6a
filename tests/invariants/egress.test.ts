/**
 * PIT-38, INJ-10, INJ-11: a key that stands in a page or in a question is in no file, answer or log; a private page reaches no client
 * whose model is remote. Each claim has a run in which it must fail, so that it can.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resolveConfig } from '../../src/app/configuration/config.js';
import { openContainer } from '../../src/app/container.js';
import { resolveAsk } from '../../src/app/identity.js';
import { learn } from '../../src/app/learning/learn.js';
import type { Library } from '../../src/app/library.js';
import type { Call, Operation } from '../../src/app/operations/catalogue.js';
import { context } from '../../src/app/operations/context.js';
import { get } from '../../src/app/operations/get.js';
import { search } from '../../src/app/operations/search.js';
import { status } from '../../src/app/operations/status.js';
import type { Instant } from '../../src/kernel/clock.js';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js';

/** Shaped like keys and put together here, so that none stands in this file. */
const IN_A_PAGE = ['gh', 'p_', 'Zk4Tq9Xw2Lm7Vb1Nc8Rd5Ph3Yf6Gs0Ja2Uo4'].join('');
const IN_A_QUESTION = ['xox', 'b-', '204816326412-204816326413-', 'Qw7Er2Ty9Ui4Op1As6Df8Gh3J'].join('');
const PRIVATE_WORD = 'quokkaline';

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
  folder.write(
    'docs/deploy.md',
    `---\ntitle: Deploying\ntags: [deploy]\n---\n\n# Deploying\n\nRun the deploy with the token ${IN_A_PAGE} from the safe.\n\n\`\`\`sh\nexport TOKEN=${IN_A_PAGE}\n\`\`\`\n\nSee [the token](https://example.org/?t=${IN_A_PAGE}).\n`,
  );
  folder.write(
    'docs/plans.md',
    `---\ntitle: Plans\nsensitivity: private\n---\n\n# Plans\n\nThe ${PRIVATE_WORD} offer is seventeen percent. See [deploying](deploy.md).\n`,
  );
});
afterEach(() => folder.dispose());

async function opened(change: (library: Library) => Library = (library) => library): Promise<Library> {
  const config = await resolveConfig({
    env: { COLOPHON_HOME: join(folder.path, 'home') },
    cwd: folder.path,
    folder: join(folder.path, 'docs'),
  });
  const library = change(await openContainer(config, { now: () => Date.UTC(2026, 10, 30) as Instant }));
  await learn(library, { full: true });
  return library;
}

/** Everything a caller can be told, as one text. */
async function told(library: Library, client: string): Promise<string> {
  const ask = resolveAsk(library.config, { client }, { workload: 'workload://colophon/cli', defaultClient: client }, library.clock.now());
  const call: Call = { library, ask, signal: new AbortController().signal, progress: () => undefined };
  const requests: [Operation, object][] = [
    [search, { query: `deploy token ${PRIVATE_WORD} offer percent` }],
    [context, { query: `how do I deploy? the token is ${IN_A_QUESTION}` }],
    [context, { query: `what is the ${PRIVATE_WORD} offer` }],
    [status, { verify: true }],
  ];
  const answers = await Promise.all(requests.map(([operation, input]) => operation.run(operation.input.parse(input), call)));
  for (const path of ['deploy.md', 'plans.md']) {
    answers.push(
      await get.run(get.input.parse({ path, meta: true, links: true, segments: true }), call).catch((fault: unknown) => String(fault)),
    );
  }
  return JSON.stringify(answers.map((answer) => ({ ...(answer as object), query: undefined })));
}

/** Every byte of every file below the state folder, and every stored value, inflated where it was deflated. */
function stored(): string {
  const home = join(folder.path, 'home');
  const files = readdirSync(home, { recursive: true, encoding: 'utf8', withFileTypes: true }).filter((entry) => entry.isFile());
  const texts: string[] = [];
  for (const entry of files) {
    const path = join(entry.parentPath, entry.name);
    texts.push(readFileSync(path).toString('latin1'));
    if (!entry.name.endsWith('.db')) continue;
    const database = new DatabaseSync(path, { readOnly: true });
    for (const { name } of database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as { name: string }[]) {
      for (const row of database.prepare(`SELECT * FROM "${name}"`).all() as Record<string, unknown>[]) {
        for (const value of Object.values(row)) texts.push(value instanceof Uint8Array ? readable(value) : String(value));
      }
    }
    database.close();
  }
  return texts.join('\n');
}

function readable(bytes: Uint8Array): string {
  const raw = Buffer.from(bytes).toString('latin1');
  if (bytes[0] !== 0x78) return raw;
  try {
    return raw + inflateSync(bytes).toString('utf8');
  } catch (error) {
    return `${raw}${String(error)}`;
  }
}

/** The key, or the form in which its words would stand in the index. */
const holds = (text: string, key: string) => text.toLowerCase().includes(key.toLowerCase().slice(4, 34));

describe('PIT-38 secrets', () => {
  it('INJ-10: a key of a page or of a question is in no answer and in no stored byte', async () => {
    const library = await opened();
    const answers = await told(library, 'terminal');
    await library.close();
    expect(answers).toContain('[secret removed: ');
    for (const key of [IN_A_PAGE, IN_A_QUESTION]) {
      expect(holds(answers, key)).toBe(false);
      expect(holds(stored(), key)).toBe(false);
    }
  });

  it('can fail: without a scanner both are found, in the answers and in the files', async () => {
    const library = await opened((each) => ({ ...each, scanner: { version: 'none', scan: async () => [] } }));
    const answers = await told(library, 'terminal');
    await library.close();
    expect(holds(answers, IN_A_PAGE)).toBe(true);
    expect(holds(stored(), IN_A_PAGE)).toBe(true);
    expect(holds(stored(), IN_A_QUESTION)).toBe(true);
  });
});

describe('PIT-38 private pages', () => {
  it('INJ-11: reach no remote client, declared or not, in any answer', async () => {
    const library = await opened();
    for (const client of ['claude-code', 'cursor', 'nobody-declared-this']) {
      const answers = await told(library, client);
      expect(answers).not.toContain('seventeen');
      expect(answers).not.toContain('"title":"Plans"');
      expect(answers).not.toContain('plans.md","meta');
    }
    await library.close();
  });

  it('can fail: a local client is told, and so is a remote one when its egress is not looked at', async () => {
    const library = await opened();
    expect(await told(library, 'terminal')).toContain('seventeen');
    const careless: Library = { ...library, config: { ...library.config, clients: [{ name: 'cursor', locality: 'local' }] } };
    expect(await told(careless, 'cursor')).toContain('seventeen');
    await library.close();
  });
});
