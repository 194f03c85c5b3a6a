/**
 * Reads colophon.yaml: text in, a checked `ConfigFile` out, or one fault that names the file, the line and the key.
 */
import { boundedText } from './bounded-text.js';
import { type ConfigFile, configFile, REGISTRATION_FIELDS } from './config-schema.js';
import { invalidKey, type Path, readStrictYaml } from './strict-yaml.js';

/** Beside what it is made of: each file more is time before the first answer. */
export { modelsOf } from './model-entry.js';

export async function readConfigFile(file: string): Promise<ConfigFile> {
  return parseConfigFile(await boundedText(file), file);
}

export function parseConfigFile(text: string, file: string): ConfigFile {
  const { value, lineOf } = readStrictYaml(text, file, configFile);
  requireRegistration(value, file, lineOf);
  return value;
}

function requireRegistration(config: ConfigFile, file: string, lineOf: (path: Path) => number | undefined): void {
  if (config.profile !== 'team') return;
  config.sources.forEach((source, index) => {
    const at: Path = ['sources', index];
    const given: Partial<Record<string, unknown>> = typeof source === 'string' ? { location: source } : source;
    const missing = REGISTRATION_FIELDS.find((field) => given[field] === undefined);
    if (missing !== undefined)
      throw invalidKey(file, lineOf(at), [...at, missing], 'given; profile team registers all twelve fields of a source');
  });
}
