/**
 * Names from outside — which refs and paths we are willing to hand to git at all.
 *
 * Invariant: a name that git could read as an option, a range, a path selector or a transport is refused here, before
 * any process is started. `--end-of-options` and stdin are the second wall, not the first.
 */

/** `main`, `v1.2`, `origin/main`, `HEAD~2`, a commit id. */
export function isSafeRef(ref: string): boolean {
  if (ref.length === 0 || ref.length > 250) return false;
  if (!/^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_./+=@~^#%-]*$/u.test(ref)) return false;
  return !/\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)|[./]$/.test(ref) && !ref.includes('::');
}

/** A path inside a tree that may become a document's name. */
export function isSafePath(path: string): boolean {
  if (path === '' || path.startsWith('/') || path.includes('\0')) return false;
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

/** Full object name, SHA-1 or SHA-256. */
export function isObjectId(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}
