/** The rules of secretlint's recommended preset, loaded when a page first shows a trace of a credential. */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { SecretRange } from '../../ports/secret-scanner.js';

const PRESET = '@secretlint/secretlint-rule-preset-recommend';
/** Left to our own rules, which know placeholders; and the switches that would let a document turn the scan off. */
const LEFT_OUT = ['basicauth', 'database-connection-string', 'filter-comments'];

export function maintainedRules(): (text: string) => Promise<readonly SecretRange[]> {
  let loaded: Promise<Linter> | undefined;
  return async (text) => {
    loaded ??= load();
    return (await loaded)(text);
  };
}

type Linter = (text: string) => Promise<readonly SecretRange[]>;

/**
 * secretlint times itself: it keeps a note of every step of every page for as long as the process lives, and looks through all of them
 * for each new one. Its timer is a module of its own, which only it can name.
 */
async function withoutTimer(): Promise<void> {
  const ofSecretlint = createRequire(createRequire(import.meta.url).resolve('@secretlint/core'));
  const { secretLintProfiler } = (await import(pathToFileURL(ofSecretlint.resolve('@secretlint/profiler')).href)) as {
    readonly secretLintProfiler: { mark: () => void };
  };
  secretLintProfiler.mark = () => undefined;
}

async function load(): Promise<Linter> {
  await withoutTimer();
  const [{ lintSource }, preset] = await Promise.all([import('@secretlint/core'), import('@secretlint/secretlint-rule-preset-recommend')]);
  const config = {
    rules: [
      {
        id: PRESET,
        rule: preset.creator,
        rules: LEFT_OUT.map((name) => ({ id: `@secretlint/secretlint-rule-${name}`, disabled: true })),
      },
    ],
  };
  return async (text) => {
    const { messages } = await lintSource({
      source: { content: text, filePath: 'page.md', ext: '.md', contentType: 'text' },
      options: { config, noPhysicFilePath: true, maskSecrets: true },
    });
    return messages.map(({ range: [start, end], ruleId }) => ({ start, end, kind: ruleId.replace('@secretlint/secretlint-rule-', '') }));
  };
}
