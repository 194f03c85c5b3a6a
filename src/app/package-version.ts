/** The version this program was published as. */
import { ownPackage } from './package-root.js';

export function packageVersion(): string {
  return ownPackage().version;
}
