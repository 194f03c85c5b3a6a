/**
 * T1.7, whole answers: what search, context and get read from the stores for a word, an identifier, a path, a link or a slip of
 * the hand that leads to hidden pages alone is what they read for one that leads nowhere, and they say the same.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolveConfig } from '../../src/app/configuration/config.js';
import { openContainer } from '../../src/app/container.js';
import { resolveAsk } from '../../src/app/identity.js';
import { learn } from '../../src/app/learning/learn.js';
import type { Library } from '../../src/app/library.js';
import type { Call, Operation } from '../../src/app/operations/catalogue.js';
import { context } from '../../src/app/operations/context.js';
import { get } from '../../src/app/operations/get.js';
import { search } from '../../src/app/operations/search.js';
import type { Instant } from '../../src/kernel/clock.js';
import { Fault } from '../../src/kernel/errors.js';
import { allOf, mutatedReader } from '../support/reference-store-mutants.js';
import { storageReads } from '../support/storage-reads.js';
import { teamSource } from '../support/team-source.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const NOW = Date.UTC(2026, 10, 30, 12) as Instant;

const sourceOf = (id: string, classification: string) =>
  teamSource(id, { classification, tenant_scope: '[north]', allowed_purposes: '[assist]' });
const CONFIG = `version: 1
profile: team
identity: { principal: person:ada, tenants: [north], purposes: [assist], groups: [staff], ceiling: restricted }
permissions: { everyone: [staff] }
vocabulary: ./vocabulary.yaml
sources:
${sourceOf('open', 'public')}${sourceOf('shut', 'confidential')}`;

/** Each the name of one thing, whose other name is the hidden word, or the word that stands nowhere. */
const NAMES = ['brackwellx', 'brackwellz'] as const;
const VOCABULARY = `version: 1
concepts:
  - { id: one, prefLabel: ${NAMES[0]}, altLabels: [quillwortx] }
  - { id: two, prefLabel: ${NAMES[1]}, altLabels: [quillwortz] }
`;

interface Probe {
  readonly what: string;
  /** Leads to hidden pages, and nowhere; equally long. */
  readonly asked: readonly [string, string];
  readonly operation: Operation;
  input(asked: string): unknown;
}

const WORDS = ['quillwortx', 'quillwortz'] as const;
/** One letter from a hidden word, and far from any. */
const MISSPELT = ['quilwortx', 'quixmorts'] as const;
const IDENTIFIERS = ['max_quill_rx', 'max_quill_rz'] as const;
const CODES = ['ERR-7717', 'ERR-7718'] as const;
const PAGES = ['plans.md', 'plane.md'] as const;
const CLOSED = ['secret.md', 'secreg.md'] as const;
const VERSIONS = ['7.7.7', '7.7.8'] as const;
const probe = (
  what: string,
  operation: Operation,
  asked: readonly [string, string],
  input: (asked: string) => unknown = (query) => ({ query, attempt: query }),
): Probe => ({ what, operation, asked, input });

const PROBES: readonly Probe[] = [
  probe('a word', search, WORDS),
  probe('a word among others', search, WORDS, (word) => ({ query: `drain the valve ${word}` })),
  probe('a quoted word', search, WORDS, (word) => ({ query: `"${word}" valve` })),
  probe('an identifier', search, IDENTIFIERS),
  probe('a code', search, CODES, (code) => ({ query: `what means ${code}` })),
  probe('a slip of the hand', search, ['quilwortx', 'quilwortz']),
  probe('a misspelt word', search, MISSPELT, (word) => ({ query: `drain the valve ${word}` })),
  probe('a misspelt word', context, MISSPELT, (word) => ({ query: `drain the valve ${word}`, attempt: word })),
  probe('another name of it', search, NAMES, (name) => ({ query: `drain the valve ${name}` })),
  probe('another name of it, with a slip', search, ['brackwelx', 'brackwelz'], (name) => ({ query: `drain the valve ${name}` })),
  probe('another name of it, with a slip', context, ['brackwelx', 'brackwelz'], (query) => ({ query: `drain ${query}`, attempt: query })),
  probe('a version', search, VERSIONS, (version) => ({ query: 'drain the valve', version })),
  probe('a path in the question', search, PAGES, (page) => ({ query: `shut/${page}` })),
  probe('a path to look below', search, PAGES, (page) => ({ query: 'drain', path: [`shut/${page}`] })),
  probe('a word', context, WORDS, (word) => ({ query: `how do I drain ${word}`, attempt: word })),
  probe('an identifier', context, IDENTIFIERS),
  probe('a path', get, PAGES, (page) => ({ path: `shut/${page}` })),
  probe('a path and its source', get, PAGES, (path) => ({ path, source: 'shut', links: true })),
  probe('a page that closes itself', get, CLOSED, (path) => ({ path, source: 'open', meta: true, links: true })),
  probe('a page that closes itself, in letters of another size', get, ['Secret.md', 'Secreg.md'], (path) => ({ path })),
];

const folder = temporaryFolder();
let library: Library;

beforeAll(async () => {
  for (const id of ['open', 'shut']) mkdirSync(join(folder.path, id));
  folder.write('colophon.yaml', CONFIG);
  folder.write('vocabulary.yaml', VOCABULARY);
  for (let n = 0; n < 12; n++) {
    // Both of a pair are linked to: the link is the visible page's own, and says nothing of what is there.
    const links = `${[...PAGES.map((page) => `../shut/${page}`), ...CLOSED].map((to) => `[it](${to})`).join(' ')} [p](p${(n + 1) % 12}.md)`;
    folder.write(`open/p${n}.md`, `# Valve ${n}\n\nDrain the valve ${n} before max_flow is set. ERR-1${n}. ${links}\n`);
    folder.write(`shut/p${n}.md`, `# Hidden ${n}\n\nThe valve quillwortx drains max_quill_rx on ERR-7717 [v](p3.md).\n`);
  }
  folder.write('shut/plans.md', '---\ntitle: quillwortx\nversion: 7.7.7\naliases: [max_quill_rx]\n---\n# Plans\n\nquillwortx\n');
  folder.write('open/secret.md', '---\nclassification: restricted\nversion: 7.7.7\n---\n# quillwortx\n\nmax_quill_rx ERR-7717\n');
  library = await openContainer(await resolveConfig({ env: {}, cwd: folder.path }), { now: () => NOW });
  await learn(library);
});
afterAll(async () => {
  await library.close();
  folder.dispose();
});

describe('T1.7 the list of reads of whole answers', () => {
  it.each(PROBES.map((each) => [`${each.operation.name}: ${each.what}`, each] as const))('%s', async (_, each) => {
    const [ofHidden, ofAbsent] = [await lookedUp(library, each, 0), await lookedUp(library, each, 1)];
    expect(ofHidden.reads.length).toBeGreaterThan(2);
    expect(ofHidden.reads).toEqual(ofAbsent.reads);
    expect(ofHidden.said).toBe(ofAbsent.said);
  });

  it.each(
    PROBES.filter(({ what }) => !what.includes('slip') && !what.includes('letters')).map(
      (each) => [`${each.operation.name}: ${each.what}`, each] as const,
    ),
  )('%s, asked by who may see the hidden pages, gets another answer', async (_, each) => {
    const [ofHidden, ofAbsent] = [await lookedUp(library, each, 0, 'restricted'), await lookedUp(library, each, 1, 'restricted')];
    expect(ofHidden.said).not.toBe(ofAbsent.said);
  });

  it('can fail: where spelling is learnt from all pages, the answers differ', async () => {
    const near: Parameters<typeof mutatedReader>[1] = (snapshot) => ({
      near: async (_, words, most) => snapshot.near(allOf(await snapshot.compartments()), words, most),
    });
    const misspelt = probe('a misspelt word', search, MISSPELT, (word) => ({ query: `drain the valve ${word}` }));
    const wrong = { ...library, reader: mutatedReader(library.reader, near) };
    const [ofHidden, ofAbsent] = [await lookedUp(wrong, misspelt, 0), await lookedUp(wrong, misspelt, 1)];
    expect(ofHidden.said).not.toBe(ofAbsent.said);
  });

  it('can fail: where a page is found by its name before it is judged, the reads differ', async () => {
    const wrong = {
      ...library,
      reader: mutatedReader(library.reader, (snapshot) => ({
        page: async (eligible, source, path) => {
          const page = await snapshot.page(allOf(await snapshot.compartments()), source, path);
          return page !== undefined && eligible.keys.has(page.compartment.key) ? page : undefined;
        },
      })),
    };
    const byPath = probe('a path', get, PAGES, (page) => ({ path: `shut/${page}` }));
    const [ofHidden, ofAbsent] = [await lookedUp(wrong, byPath, 0), await lookedUp(wrong, byPath, 1)];
    expect(ofHidden.said).toBe(ofAbsent.said);
    expect(ofHidden.reads).not.toEqual(ofAbsent.reads);
  });
});

/** What only depends on the library is remembered from the question before. */
async function lookedUp(of: Library, { operation, asked, input }: Probe, which: 0 | 1, ceiling = 'public') {
  const ask = resolveAsk(of.config, { ceiling }, { workload: 'workload://colophon/mcp', defaultClient: 'agent' }, NOW);
  const call: Call = { library: of, ask, signal: new AbortController().signal, progress: () => undefined };
  // The first of its kind opens what all later ones read.
  for (const each of [search, context]) await told(each, { query: 'drain the valve' }, call);
  let said = '';
  const reads = await storageReads(asked, async () => {
    said = await told(operation, input(asked[which]), call);
  });
  // records.db holds no page: the ledger is asked for what lies near the digest of the package, and that differs with the question.
  return { reads: reads.filter(({ store }) => store === 'index.db'), said: withoutDigests(said, asked) };
}

/** What is made of the question, as the package's own id, differs with the question; so does what its words cost. */
function withoutDigests(text: string, asked: Probe['asked']): string {
  return asked.reduce((left, each) => left.replaceAll(each, '<asked>'), text).replace(/[0-9a-f]{12,}|(?<="(?:used|granted)":)\d+/g, '#');
}

async function told(operation: Operation, input: unknown, call: Call): Promise<string> {
  try {
    return JSON.stringify(await operation.run(operation.input.parse(input), call));
  } catch (error) {
    if (error instanceof Fault) return JSON.stringify({ code: error.code, message: error.message, hint: error.hint });
    throw error;
  }
}
