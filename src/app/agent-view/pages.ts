/** Pages as an application lists and reads them: bounded, eligible only, and shown as an agent sees them. */
import { Fault } from '../../kernel/errors.js';
import { openDoor } from '../asking/asking.js';
import type { Call } from '../operations/catalogue.js';
import { get } from '../operations/get.js';
import { ANSWER_TOKENS } from './agent-view.js';
import { inertFact } from './inert-facts.js';
import { pageView } from './page-view.js';

const PAGES_LISTED = 50;

export interface ListedPage {
  readonly source: string;
  readonly path: string;
  /** One line each, as they may be listed. */
  readonly name: string;
  readonly title: string;
}

export async function listPages(
  call: Call,
  cursor: string | undefined,
): Promise<{ readonly pages: readonly ListedPage[]; readonly next?: string }> {
  const after = cursor === undefined ? undefined : Buffer.from(cursor, 'base64url').toString('utf8');
  const { snapshot, eligible } = await openDoor(call);
  try {
    const found = await snapshot.pages(eligible, {}, { limit: PAGES_LISTED + 1, ...(after === undefined ? {} : { after }) });
    const pages = found.slice(0, PAGES_LISTED);
    const last = pages.at(-1);
    const listed = pages.map(({ source, path, title }) => ({ source, path, name: inertFact(path), title: inertFact(title) }));
    return found.length > PAGES_LISTED && last !== undefined
      ? { pages: listed, next: Buffer.from(last.path, 'utf8').toString('base64url') }
      : { pages: listed };
  } finally {
    await snapshot.close();
  }
}

/** Undefined when there is no such page for this asker. */
export async function readPage(call: Call, page: { readonly source: string; readonly path: string }): Promise<string | undefined> {
  try {
    const answer = await get.run(get.input.parse({ ...page, raw: true }), call);
    return pageView(answer, 2 * ANSWER_TOKENS).text;
  } catch (error) {
    if (error instanceof Fault && error.kind === 'not-found') return undefined;
    throw error;
  }
}
