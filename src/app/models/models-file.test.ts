import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ModelProfile } from '../../domain/model-profile.js';
import type { Day } from '../../kernel/clock.js';
import { modelsFileText, parseModelsFile } from './models-file.js';
import { MODELS_SCHEMA_FILE, modelsJsonSchema } from './models-json-schema.js';
import { merged } from './refresh.js';

const TODAY = '2026-11-30' as Day;
const file = (rows: string) => parseModelsFile(`version: 1\nmodels:\n${rows}`, 'models.yaml');

const anyModel: fc.Arbitrary<ModelProfile> = fc.record(
  {
    name: fc
      .stringMatching(/^[A-Za-z0-9~@][A-Za-z0-9._:/@+~-]{0,40}$/)
      .filter((name) => !/^(generic|claude|gpt|gemini|local-8k|local-32k)$/.test(name)),
    windowTokens: fc.integer({ min: 1, max: 1e9 }),
    tokenFactor: fc.constantFrom(1, 1.1, 1.15, 1.55),
    knowledgeCutoff: fc.constantFrom('2024-08-31' as Day, '2026-01-01' as Day),
  },
  { requiredKeys: ['name', 'windowTokens', 'tokenFactor'] },
);
const anyModels = fc.uniqueArray(anyModel, { selector: ({ name }) => name, maxLength: 8 });
const byName = (models: readonly ModelProfile[]) => [...models].sort((a, b) => (a.name < b.name ? -1 : 1));

describe('the file of models', () => {
  it('says what was written into it, names such as true and 1e3 included', () => {
    fc.assert(
      fc.property(anyModels, (models) => {
        expect(parseModelsFile(modelsFileText(models, 'a file', TODAY), 'models.yaml')).toEqual(byName(models));
      }),
      { numRuns: 30 },
    );
    const odd = ['true', 'null', '1e3', '~', '2026-01-01', '@a:b'].map((name): ModelProfile => ({ name, windowTokens: 1, tokenFactor: 1 }));
    expect(parseModelsFile(modelsFileText(odd, 'a file', TODAY), 'models.yaml')).toEqual(byName(odd));
  });

  it.each([
    [
      'a family, which a question without a model stands for',
      '  - { name: claude, window_tokens: 5 }\n',
      /3: models\[0\]\.name must be none of generic, claude/,
    ],
    [
      'the same name twice',
      '  - { name: a, window_tokens: 5 }\n  - { name: a, window_tokens: 6 }\n',
      /4: models\[1\]\.name must be a name of its own/,
    ],
    ['a name that steers a terminal', '  - { name: "a\\e[31m", window_tokens: 5 }\n', /name must be letters, digits/],
    ['a key that is none', '  - { name: a, window_tokens: 5, window: 6 }\n', /models\[0\]\.window must be left out/],
    ['no window', '  - { name: a }\n', /window_tokens/],
  ])('is refused with %s, by its line', (_, rows, words) => {
    expect(() => file(rows)).toThrow(words);
  });
});

it('publishes the JSON Schema that the code checks files of models with; `node scripts/write-schemas.mjs` writes it', () => {
  expect(readFileSync(MODELS_SCHEMA_FILE, 'utf8')).toBe(modelsJsonSchema());
});

describe('a refresh', () => {
  it('loses nothing: models that are listed no more, cutoffs that are not told, and factors that somebody corrected', () => {
    fc.assert(
      fc.property(anyModels, anyModels, (held, listed) => {
        const { models } = merged(
          held,
          listed.map(({ tokenFactor: _, ...each }) => each),
        );
        const after = new Map(models.map((each) => [each.name, each]));
        for (const was of held) {
          const now = after.get(was.name);
          expect(now?.tokenFactor).toBe(was.tokenFactor);
          expect(now?.knowledgeCutoff === undefined).toBe(
            was.knowledgeCutoff === undefined && listed.find(({ name }) => name === was.name)?.knowledgeCutoff === undefined,
          );
        }
        for (const each of listed) expect(after.get(each.name)?.windowTokens).toBe(each.windowTokens);
        expect(models).toHaveLength(after.size);
      }),
      { numRuns: 30 },
    );
  });

  it('says what was added, what changed from what to what, and what it left alone', () => {
    const one = { name: 'acme/one', windowTokens: 10, tokenFactor: 1.2 };
    const gone = { name: 'acme/gone', windowTokens: 10, tokenFactor: 1 };
    const { added, changed, kept } = merged(
      [one, gone],
      [
        { name: 'acme/one', windowTokens: 20, knowledgeCutoff: '2026-01-01' as Day },
        { name: 'acme/two', windowTokens: 30 },
        { name: 'gemini', windowTokens: 30 },
      ],
    );
    expect(added).toEqual([{ name: 'acme/two', windowTokens: 30, tokenFactor: 1.55 }]);
    expect(changed).toEqual([
      { name: 'acme/one', what: 'window', before: '10', after: '20' },
      { name: 'acme/one', what: 'cutoff', before: 'none', after: '2026-01-01' },
    ]);
    expect(kept).toEqual(['acme/gone']);
    expect(merged([one], [{ name: 'acme/one', windowTokens: 10 }])).toMatchObject({ added: [], changed: [], kept: [] });
  });
});
