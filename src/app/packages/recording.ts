/**
 * The recording of a package: everything its compilation depended on, gathered from the library it was compiled in, so that it can
 * be compiled again, here or elsewhere. What is not as it was any more is a gap, said in words.
 */
import type { Recording } from '../../context/bundle-schema.js';
import type { PackageBody } from '../../domain/context-package.js';
import { DEFAULT_CONTEXT_POLICY } from '../../domain/context-policy.js';
import type { Vocabulary } from '../../domain/vocabulary.js';
import { digestOf } from '../../kernel/digest.js';
import type { LibraryConfig } from '../library.js';
import { permissionsDigest, type Recorded, recordedRegistration } from './annex.js';

export function recordingOf(
  config: LibraryConfig,
  body: PackageBody,
  recorded: Recorded | undefined,
  vocabulary: Vocabulary | undefined,
): Recording {
  const { versions, request } = body;
  const { profile, permissions, models, ranking, sources, context: policy = DEFAULT_CONTEXT_POLICY } = config;
  const model = recorded?.model ?? models.find(({ name }) => name === request.model);
  const known = new Map((recorded?.sources ?? []).map((each) => [each.id, each]));
  const gaps: string[] = [];
  if (model === undefined) gaps.push(`model profile ${request.model} is not declared any more`);
  if (recorded?.permissions !== undefined && recorded.permissions !== permissionsDigest(config))
    gaps.push('`permissions` in colophon.yaml changed since');
  for (const { id } of known.values()) if (!sources.some((source) => source.id === id)) gaps.push(`source ${id} is not declared any more`);
  for (const source of sources) {
    const then = known.get(source.id);
    if (then === undefined) gaps.push(`of source ${source.id} nothing was recorded`);
    else if (then.registration !== recordedRegistration(source)) gaps.push(`the declaration of source ${source.id} changed since`);
  }
  // Absent fields, not undefined ones: a bundle is plain JSON.
  const recording: Recording = JSON.parse(
    JSON.stringify({
      at: new Date(recorded?.createdAt ?? Date.parse(`${request.asOf}T12:00:00Z`)).toISOString(),
      profile,
      permissions,
      model: model ?? null,
      rankingPolicy: digestOf(ranking) === versions.rankingPolicy ? ranking : null,
      contextPolicy: digestOf(policy) === versions.contextPolicy ? policy : null,
      ...(vocabulary !== undefined && vocabulary.version === versions.vocabulary ? { vocabulary: vocabulary.concepts } : {}),
      sources: sources.map((source) => {
        const { path: _, ...location } = source.location;
        const then = known.get(source.id);
        return { registration: { ...source, location }, state: then?.state ?? 'active', commit: then?.commit, withheld: then?.withheld };
      }),
      gaps,
    }),
  );
  return recording;
}
