/**
 * Selection — is this path a document of the source?
 *
 * Default exclusions first, then the registration's `exclude`, then its `include`. A pattern that names a hidden or
 * dependency folder word for word lets it in; nothing lets `.git` or a secret-like file in.
 *
 * Invariant: the decision depends on the path and the registration alone.
 */
import { excludedFile, excludedFolder, isDocumentName } from '../../../domain/document-selection.js';
import type { SourceLocation } from '../../../domain/source.js';
import { globMatcher, isGlob } from '../../../text/glob.js';

/** Why a path is left out: the key under which `Listing.ignored` counts it. */
export type Exclusion = string;

export interface Selection {
  /** Undefined when the folder may hold documents. `path` is POSIX from the root, without a slash at the end. */
  folder(path: string): Exclusion | undefined;
  /** Undefined when the file is a document; `not-a-document` is not worth counting. */
  file(path: string): Exclusion | undefined;
}

export const NOT_A_DOCUMENT = 'not-a-document';

type Matches = (path: string) => boolean;

export function selectionOf(location: Pick<SourceLocation, 'include' | 'exclude'>): Selection {
  const excluded = matcher(location.exclude);
  const named = literalSegments(location.include);
  const explicit = matcher(location.include.filter(namesFiles));
  const broad = location.include.length === 0 ? () => true : matcher(location.include.filter((glob) => !namesFiles(glob)));

  const folder = (path: string): Exclusion | undefined => {
    const name = baseName(path);
    const reason = excludedFolder(name);
    if (reason !== undefined && (reason === 'git-internals' || !named.has(name))) return reason;
    return excluded(path) || excluded(`${path}/`) ? 'exclude' : undefined;
  };
  const file = (path: string): Exclusion | undefined => {
    const name = baseName(path);
    const reason = excludedFile(name);
    if (reason !== undefined && !(reason === 'hidden' && named.has(name))) return isDocumentName(name) ? reason : NOT_A_DOCUMENT;
    if (explicit(path)) return excluded(path) ? 'exclude' : undefined;
    if (!isDocumentName(name)) return NOT_A_DOCUMENT;
    if (excluded(path)) return 'exclude';
    return broad(path) ? undefined : 'include';
  };
  return { folder, file };
}

/** The first reason on the way from the root down to the file: for listings that come without a walk. */
export function exclusionOf(selection: Selection, path: string, folders: Map<string, Exclusion | null>): Exclusion | undefined {
  return folderExclusion(selection, parentOf(path), folders) ?? selection.file(path);
}

function folderExclusion(selection: Selection, folder: string, seen: Map<string, Exclusion | null>): Exclusion | undefined {
  if (folder === '') return undefined;
  const known = seen.get(folder);
  if (known !== undefined) return known ?? undefined;
  const reason = folderExclusion(selection, parentOf(folder), seen) ?? selection.folder(folder);
  seen.set(folder, reason ?? null);
  return reason;
}

/** `docs` and `docs/` mean everything below; globs are matched from the root, dots are ordinary characters. */
function matcher(globs: readonly string[]): Matches {
  if (globs.length === 0) return () => false;
  const widened = globs.map(cleanGlob).flatMap((glob) => (isGlob(glob) ? [glob] : [glob, `${glob}/**`]));
  return globMatcher(widened, { negate: false });
}

function cleanGlob(glob: string): string {
  return glob.replace(/^(?:\.?\/)+/, '').replace(/\/+$/, '');
}

/** True when the last part of the glob says more than "anything": it then decides alone what is a document. */
function namesFiles(glob: string): boolean {
  const last = baseName(cleanGlob(glob));
  return !/^\*+$/.test(last) && (isGlob(last) || last.includes('.'));
}

function literalSegments(globs: readonly string[]): ReadonlySet<string> {
  return new Set(globs.flatMap((glob) => cleanGlob(glob).split('/')));
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}
