/**
 * Which names are documents, and which are left out before anybody writes an ignore file.
 *
 * The sets are the same for every connector, so that a folder and a repository with the same files give the same library.
 * A build folder is known by what it says of itself (CACHEDIR.TAG, pyvenv.cfg), not by a name such as `build` or `vendor`
 * that real documentation uses too.
 *
 * Invariant: `.git` is never looked into, whatever a pattern says.
 */

/** Text formats that are indexed when no `include` pattern names another. */
const DOCUMENT_NAME = /\.(?:md|mdx|markdown|mdown|txt)$/i;

/** Installed packages and caches: other people's words, in thousands. */
const DEPENDENCY_FOLDERS: ReadonlySet<string> = new Set([
  'node_modules',
  'bower_components',
  'jspm_packages',
  'site-packages',
  '__pycache__',
  '__pypackages__',
  'DerivedData',
]);

/** A folder that holds one of these files is generated and says so. */
export const GENERATED_MARKERS: ReadonlySet<string> = new Set(['CACHEDIR.TAG', 'pyvenv.cfg']);

const SECRET_FILE =
  /^(?:\.env(?:\..*)?|\.npmrc|\.pypirc|\.netrc|_netrc|\.pgpass|\.htpasswd|\.git-credentials|id_(?:rsa|dsa|ecdsa|ed25519)(?:\..*)?|credentials|.*\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|ovpn|tfstate|tfvars))$/i;

/** What editors write beside, or for a moment instead of, the real file. */
const EDITOR_TEMPORARY =
  /^(?:.*~|#.*#|\.#.*|~\$.*|\.~lock\..*|4913|.*\.sw[a-z]|.*\.(?:tmp|bak|orig|rej|part|crdownload)|.*___jb_(?:tmp|old|bak)___)$/i;

/** Why a name is left out by default; the word is the key in `Listing.ignored`. */
export type DefaultExclusion = 'git-internals' | 'hidden' | 'dependencies' | 'secrets' | 'temporary';

export function isDocumentName(name: string): boolean {
  return DOCUMENT_NAME.test(name);
}

/** Undefined when nothing speaks against looking into a folder of this name. */
export function excludedFolder(name: string): DefaultExclusion | undefined {
  if (isGitInternal(name)) return 'git-internals';
  if (DEPENDENCY_FOLDERS.has(name)) return 'dependencies';
  return name.startsWith('.') ? 'hidden' : undefined;
}

/** Undefined when nothing speaks against a file of this name. */
export function excludedFile(name: string): DefaultExclusion | undefined {
  if (isGitInternal(name)) return 'git-internals';
  if (SECRET_FILE.test(name)) return 'secrets';
  if (EDITOR_TEMPORARY.test(name)) return 'temporary';
  return name.startsWith('.') ? 'hidden' : undefined;
}

/** `.git` in the spellings that some file systems take for it. */
function isGitInternal(name: string): boolean {
  return /^(?:\.git|git~1)$/i.test(name.replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, '').replace(/[. ]+$/, ''));
}
