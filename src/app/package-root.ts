/** The folder this program was installed in, wherever in it the running file ended up when it was built. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface OwnPackage {
  readonly root: string;
  readonly version: string;
}

const NAME = 'colophon';
let known: OwnPackage | undefined;

export function ownPackage(): OwnPackage {
  known ??= find(dirname(fileURLToPath(import.meta.url)));
  return known;
}

/** The file that is the command. */
export function ownCommand(): string {
  return join(ownPackage().root, 'dist/interfaces/cli/main.js');
}

function find(folder: string): OwnPackage {
  const manifest = manifestIn(folder);
  if (manifest?.['name'] === NAME) return { root: folder, version: String(manifest['version']) };
  const above = dirname(folder);
  if (above === folder) throw new Error(`the package.json of ${NAME} is missing from the installation`);
  return find(above);
}

function manifestIn(folder: string): Readonly<Record<string, unknown>> | undefined {
  let text: string;
  try {
    text = readFileSync(join(folder, 'package.json'), 'utf8');
  } catch {
    // No such file here: it stands further up.
    return undefined;
  }
  const manifest: unknown = JSON.parse(text);
  return typeof manifest === 'object' && manifest !== null ? (manifest as Readonly<Record<string, unknown>>) : undefined;
}
