/** The rules of secretlint's recommended preset, loaded when a page first shows a trace of a credential. */
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

async function load(): Promise<Linter> {
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
