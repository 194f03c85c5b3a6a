/** Pages made by the real eight steps from a few lines of text, with a scanner and a model that a test can foresee. */
import type { PreparedPage } from '../../src/domain/prepared-page.js';
import type { ProblemCode } from '../../src/domain/problem.js';
import type { SourceRegistration } from '../../src/domain/source.js';
import { type Ingested, ingestPage } from '../../src/ingest/pipeline.js';
import { gitBlobId } from '../../src/kernel/digest.js';
import type { Embedder } from '../../src/ports/models.js';
import type { SecretScanner } from '../../src/ports/secret-scanner.js';
import { registrationAt } from './registrations.js';

export const noEmbedder: Embedder = { id: 'none', dimensions: 0, embed: async () => [] };
/** Finds `SECRET` followed by capitals; the real scanner has its own suite. */
export const scanner: SecretScanner = {
  version: 'test',
  scan: async (text) =>
    [...text.matchAll(/SECRET[A-Z\n]*/g)].map((match) => ({ start: match.index, end: match.index + match[0].length, kind: 'test-key' })),
};

export const registered = (over: Partial<SourceRegistration> = {}) => registrationAt({ path: '/docs' }, over);

export function ingest(
  content: string | Uint8Array,
  path = 'guides/a.md',
  over: Partial<SourceRegistration> = {},
  embedder = noEmbedder,
): Promise<Ingested> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return ingestPage({ path, blob: gitBlobId(bytes), bytes }, registered(over), { scanner, embedder });
}

export async function page(content: string | Uint8Array, path?: string, over?: Partial<SourceRegistration>): Promise<PreparedPage> {
  const ingested = await ingest(content, path, over);
  if (ingested.kind !== 'page') throw new Error(`refused: ${ingested.problems.map(({ message }) => message).join(' ')}`);
  return ingested.prepared;
}

export const codes = (prepared: PreparedPage): readonly ProblemCode[] => prepared.problems.map(({ code }) => code);
export const matter = (fields: string, body = '# T\n\nBody text.\n') => `---\n${fields}\n---\n${body}`;
