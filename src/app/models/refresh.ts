/**
 * models refresh: what a public list says now, beside what the library's own file of models says.
 *
 * Invariant: nothing is lost by it: a model the list has no more, a cutoff it does not tell and a token factor of the file's own stay.
 * Invariant: the file is written whole or not at all, and not when nothing changed.
 */
import { relative, resolve } from 'node:path';
import { z } from 'zod';
import type { ModelProfile } from '../../domain/model-profile.js';
import { dayOf } from '../../kernel/clock.js';
import { Fault } from '../../kernel/errors.js';
import type { Call } from '../operations/catalogue.js';
import { answer } from '../operations/wire.js';
import { fetchList, PUBLIC_LIST, shown } from './fetch-list.js';
import { FAMILIES, readToWrite, writeModelsFile } from './models-file.js';
import { type ListedModel, readPublicList } from './public-list.js';
import { tokenFactorOf } from './token-factor.js';

const model = z.object({ name: z.string(), windowTokens: z.int(), tokenFactor: z.number(), knowledgeCutoff: z.string().nullable() });
const change = z.object({ name: z.string(), what: z.enum(['window', 'cutoff']), before: z.string(), after: z.string() });

const refreshed = answer('models-refresh', {
  file: z.string(),
  from: z.string(),
  listed: z.int().nonnegative(),
  added: z.array(model),
  changed: z.array(change),
  kept: z.array(z.string()).describe('In the file, and not in the list any more: left as they were.'),
  leftOut: z.array(z.object({ entry: z.int().positive(), reason: z.string() })),
  passedOver: z.int().nonnegative().describe('Models that write no text, or say no window.'),
  written: z.boolean(),
});
export type ModelsRefreshAnswer = z.output<typeof refreshed>;

export interface RefreshRequest {
  /** An address or a file; the public list when absent. */
  readonly from?: string;
  readonly cwd: string;
  readonly dryRun: boolean;
}

export async function refreshModels({ library, signal, ask }: Call, request: RefreshRequest): Promise<ModelsRefreshAnswer> {
  const { config } = library;
  if (config.modelsFile === undefined) {
    const hint = 'Run `colophon init` there first, or name a library with --root.';
    throw new Fault('library/missing', { path: config.root, reason: 'models are written beside a colophon.yaml, and there is none', hint });
  }
  const { path } = config.modelsFile;
  const { from = PUBLIC_LIST, cwd } = request;
  const isAddress = from.includes('://');
  const text = await fetchList(isAddress ? from : resolve(cwd, from), signal);
  const named = isAddress ? shown(new URL(from)) : from;
  const today = dayOf(ask.at);
  const { models: listed, leftOut, passedOver } = readPublicList(text, named, today);
  const held = await readToWrite(config);
  const { models, added, changed, kept } = merged(held, listed);
  const written = !request.dryRun && added.length + changed.length > 0;
  // A path of this machine is nobody's business who reads the file.
  if (written) await writeModelsFile(path, models, isAddress ? named : 'a file', today);
  return {
    schema: 'colophon/models-refresh@1',
    problems: [],
    file: relative(config.root, path),
    from: named,
    listed: listed.length,
    added: added.map((each) => ({ ...each, knowledgeCutoff: each.knowledgeCutoff ?? null })),
    changed: [...changed],
    kept: [...kept],
    leftOut: leftOut.map((each) => ({ ...each })),
    passedOver,
    written,
  };
}

interface Merged {
  readonly models: readonly ModelProfile[];
  readonly added: readonly ModelProfile[];
  readonly changed: readonly z.output<typeof change>[];
  readonly kept: readonly string[];
}

export function merged(held: readonly ModelProfile[], listed: readonly ListedModel[]): Merged {
  const before = new Map(held.map((each) => [each.name, each]));
  const usable = listed.filter(({ name }) => !FAMILIES.has(name));
  const names = new Set(usable.map(({ name }) => name));
  const fresh = usable.map((each): ModelProfile => {
    const was = before.get(each.name);
    return was === undefined ? { ...each, tokenFactor: tokenFactorOf(each.name) } : { ...was, ...each };
  });
  const gone = held.filter(({ name }) => !names.has(name));
  return {
    models: [...fresh, ...gone],
    added: fresh.filter(({ name }) => !before.has(name)),
    changed: fresh.flatMap((each) => changesOf(before.get(each.name), each)),
    kept: gone.map(({ name }) => name),
  };
}

function changesOf(was: ModelProfile | undefined, now: ModelProfile): z.output<typeof change>[] {
  if (was === undefined) return [];
  const { name } = now;
  const window =
    was.windowTokens === now.windowTokens
      ? []
      : [{ name, what: 'window' as const, before: String(was.windowTokens), after: String(now.windowTokens) }];
  const cutoff =
    was.knowledgeCutoff === now.knowledgeCutoff
      ? []
      : [{ name, what: 'cutoff' as const, before: was.knowledgeCutoff ?? 'none', after: now.knowledgeCutoff ?? 'none' }];
  return [...window, ...cutoff];
}
