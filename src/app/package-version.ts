/** The version this program was published as, read from the package.json beside it. */
import { readFileSync } from 'node:fs';

let known: string | undefined;

export function packageVersion(): string {
  if (known === undefined) {
    const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    const version = typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : undefined;
    known = typeof version === 'string' ? version : '0.0.0';
  }
  return known;
}
