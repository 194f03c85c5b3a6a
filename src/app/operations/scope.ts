/** From the narrowing words of a request to a Scope; paths are POSIX, `./` is dropped, a missing slash is not the asker's business. */
import type { Scope } from '../../domain/query.js';

export interface ScopeInput {
  readonly source?: readonly string[] | undefined;
  readonly path?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  readonly version?: string | undefined;
  readonly tag?: readonly string[] | undefined;
  readonly status?: readonly string[] | undefined;
}

export function scopeOf(input: ScopeInput): Scope {
  return {
    ...(input.source === undefined ? {} : { sources: input.source }),
    ...pathsOf(input.path),
    ...(input.exclude === undefined ? {} : { exclude: input.exclude }),
    ...(input.version === undefined ? {} : { productVersion: input.version }),
    ...(input.tag === undefined ? {} : { tags: input.tag }),
    ...(input.status === undefined ? {} : { statuses: input.status }),
  };
}

/** The root itself narrows nothing. */
function pathsOf(path: readonly string[] | undefined): Pick<Scope, 'paths'> {
  const paths = path?.map(plainPath);
  return paths === undefined || paths.includes('') ? {} : { paths };
}

/** A path as the index spells it. On Windows either separator is accepted; elsewhere a backslash is an ordinary character. */
export function plainPath(path: string): string {
  const posix = process.platform === 'win32' ? path.replaceAll('\\', '/') : path;
  const plain = posix.replace(/^(\.\/)+/, '').replace(/\/{2,}/g, '/');
  return plain === '.' || plain === './' ? '' : plain;
}
