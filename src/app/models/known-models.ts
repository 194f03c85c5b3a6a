/**
 * Which profile a model's name means: colophon.yaml, then the library's own file, then what is shipped, then the families.
 *
 * Loaded only for a name that neither colophon.yaml nor a family has, and by `models`: a question that names no model is not slowed.
 *
 * Invariant: a name that means nothing is refused with the nearest one that does; no window is ever guessed.
 */
import { MODEL_PROFILES, type ModelProfile } from '../../domain/model-profile.js';
import { Fault } from '../../kernel/errors.js';
import { nearest } from '../asking/nearest.js';
import type { LibraryConfig } from '../library.js';
import { readModelsFile } from './models-file.js';
import { SHIPPED_MODELS } from './shipped-models.js';

export const ORIGINS = ['colophon.yaml', 'models file', 'shipped', 'family'] as const;

export interface KnownModel {
  readonly profile: ModelProfile;
  readonly origin: (typeof ORIGINS)[number];
  /** For a shipped one: the vendor's page it was read on, and when. */
  readonly source: string;
}

type Declared = Pick<LibraryConfig, 'models' | 'modelsFile' | 'root'>;

export async function profileNamed(config: Declared, name: string): Promise<ModelProfile> {
  const known = await knownModels(config);
  const found = modelNamed(known, name);
  if (found !== undefined) return found.profile;
  const meant = nearest(name, [...new Set(known.flatMap(({ profile }) => [profile.name, bareName(profile.name)]))]);
  const expected = `the name of a model that is known here${meant === undefined ? '' : ` (did you mean ${meant}?)`}; \`colophon models list\` names them, \`models\` in colophon.yaml declares another`;
  throw new Fault('input/invalid', { field: 'model', expected });
}

/** All of them, those that win over others first. */
export async function knownModels(config: Declared): Promise<readonly KnownModel[]> {
  const families = new Set<ModelProfile>(MODEL_PROFILES);
  const of = (origin: KnownModel['origin']) => (profile: ModelProfile) => ({ profile, origin, source: '' });
  return [
    ...config.models.filter((each) => !families.has(each)).map(of('colophon.yaml')),
    ...(await readModelsFile(config)).map(of('models file')),
    ...SHIPPED_MODELS.map(({ profile, source }): KnownModel => ({ profile, origin: 'shipped', source })),
    ...MODEL_PROFILES.map(of('family')),
  ];
}

/** The first of that name; in the library's own file, whose names begin with a vendor, one of that name without it will do. */
export function modelNamed(known: readonly KnownModel[], name: string): KnownModel | undefined {
  for (const origin of ORIGINS) {
    const those = known.filter((each) => each.origin === origin);
    const exact = those.find(({ profile }) => profile.name === name);
    if (exact !== undefined) return exact;
    const bare = origin === 'models file' ? those.filter(({ profile }) => bareName(profile.name) === name) : [];
    if (bare.length === 1) return bare[0];
  }
  return undefined;
}

function bareName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}
