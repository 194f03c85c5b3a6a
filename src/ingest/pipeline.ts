/**
 * Ingest: one document in, one prepared page out, in eight steps.
 *
 *   1. extract    bytes → text, or a refusal with its reason
 *   2. sanitize   dangerous code points, secrets and payloads out, before anything is parsed
 *   3. parse      front matter, headings, blocks, links
 *   4. normalize  typed metadata, title, summary, trust, compartment
 *   5. segment    the pieces
 *   6. prefix     title, headings and summary beside each piece
 *   7. embed      vectors, when there is a model
 *   8. publish    artifacts with ids, places and terms
 *
 * Invariant: the same document under the same registration and versions gives the same page on every machine (ING-04, ART-05).
 * Invariant: nothing that goes wrong in one page goes beyond it: the page is refused by name and the run goes on (ING-09, ING-17).
 */
import type { PreparedPage } from '../domain/prepared-page.js';
import type { Problem } from '../domain/problem.js';
import type { SourceRegistration } from '../domain/source.js';
import type { SourceDocument } from '../ports/connector.js';
import type { Embedder } from '../ports/models.js';
import type { SecretScanner } from '../ports/secret-scanner.js';
import { scanDerived } from './derived-text.js';
import { embed } from './embed.js';
import { extract } from './extract.js';
import { normalize } from './normalize.js';
import { type PageProblems, pageProblems } from './page-problems.js';
import { parse } from './parse.js';
import { prefixOf } from './prefix.js';
import { publish, searchedText } from './publish.js';
import { sanitize } from './sanitize.js';
import { secretInName } from './secret-name.js';
import { cutSegments } from './segment.js';

export interface IngestDeps {
  readonly scanner: SecretScanner;
  readonly embedder: Embedder;
}

export type Ingested =
  | { readonly kind: 'page'; readonly prepared: PreparedPage }
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] };

export async function ingestPage(document: SourceDocument, registration: SourceRegistration, deps: IngestDeps): Promise<Ingested> {
  const problems = pageProblems(registration.id, document.path);
  try {
    const secret = await secretInName(document.path, registration.id, deps.scanner);
    if (secret !== undefined) return { kind: 'refused', problems: [secret] };
    return await steps(document, registration, deps, problems);
  } catch (error) {
    problems.note({
      code: 'page/unreadable',
      severity: 'error',
      message: `${document.path} could not be taken in (${error instanceof Error ? error.name : 'unknown error'}).`,
      hint: 'The other pages are not affected. Please report this with the file, or exclude it in colophon.yaml.',
    });
    return { kind: 'refused', problems: problems.list };
  }
}

async function steps(
  document: SourceDocument,
  registration: SourceRegistration,
  deps: IngestDeps,
  problems: PageProblems,
): Promise<Ingested> {
  const { note } = problems;
  const decoded = extract(document, note);
  if (decoded === undefined) return { kind: 'refused', problems: problems.list };
  const safe = await sanitize(decoded, deps.scanner, note);
  const read = parse(safe, document.path, note);
  const { normal, parsed } = await scanDerived(
    { normal: normalize(document, registration, safe, read, note), parsed: read },
    deps.scanner,
    note,
  );
  const segments = cutSegments(safe, parsed, normal.page);
  const texts =
    deps.embedder.id === 'none'
      ? []
      : segments.map(({ heading, words }) =>
          searchedText(prefixOf(normal.page, parsed.outline.headings[heading]?.path ?? [], '').text, words),
        );
  const vectors = await embed(texts, deps.embedder, note);
  return { kind: 'page', prepared: publish({ normal, safe, parsed, segments, vectors, problems }) };
}
