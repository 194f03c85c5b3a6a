/**
 * Takes secrets out of what people and agents type, before it is stored or sent anywhere (INJ-10).
 */
import type { SecretScanner } from '../ports/secret-scanner.js';

export async function maskSecrets(text: string, scanner: SecretScanner): Promise<string> {
  const found = await scanner.scan(text);
  return [...found]
    .reverse()
    .reduce((rest, { start, end, kind }) => `${rest.slice(0, start)}[secret removed: ${kind}]${rest.slice(end)}`, text);
}
