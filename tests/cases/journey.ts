/** What a case carries from step to step, and what several kinds of step need of it. */
import type { ChildProcess } from 'node:child_process';
import { argument, type CaseFile, type Step, textArgument } from './case-file.js';
import { brief } from './check.js';
import { type Answer, type Product, type RegisteredFolder, saying } from './product.js';

export interface Journey {
  readonly file: CaseFile;
  readonly product: Product;
  lastIndex: Answer | undefined;
  indexed: boolean;
  watcher: { readonly child: ChildProcess; readonly closed: Promise<number | null> } | undefined;
  readonly saved: Map<string, string>;
}

/** A case that only talks to the server or searches still has an index, unless it asks for a fresh home. */
export async function ensureIndexed(journey: Journey): Promise<void> {
  if (journey.indexed) return;
  journey.indexed = true;
  const answer = await journey.product.index();
  if (answer.fault) throw new Error(`indexing failed: ${brief(saying(answer))}`);
}

export function registered(step: Step): RegisteredFolder {
  const folder = textArgument(step, 'src');
  const named = argument(step, 'as_');
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  const facts = {
    tenant: text(argument(step, 'tenant')),
    classification: text(argument(step, 'classification')),
    trust: text(argument(step, 'trust')),
    permissions: text(argument(step, 'permissions', 'permissions_ref')),
  };
  const id = text(named) ?? (folder === '.' ? 'work' : folder.toLowerCase().replace(/[^a-z0-9._-]+/g, '-'));
  return { id, folder, ...Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) };
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
