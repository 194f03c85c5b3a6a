import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { Fault } from '../../kernel/errors.js';
import { parseConfigFile, readConfigFile } from './config-file.js';
import { configJsonSchema } from './config-json-schema.js';
import { REGISTRATION_FIELDS } from './config-schema.js';
import { personalTemplate, teamTemplate } from './config-template.js';

function refusal(text: string): { message: string; line: number | undefined } {
  try {
    parseConfigFile(text, 'colophon.yaml');
  } catch (error) {
    if (error instanceof Fault && error.code === 'config/invalid') {
      return { message: error.message, line: (error.data as { line?: number }).line };
    }
    throw error;
  }
  throw new Error('it was accepted');
}

const head = 'version: 1\nprofile: personal\n';

describe('colophon.yaml', () => {
  it('takes three lines for a personal library', () => {
    expect(parseConfigFile(`${head}sources: [./docs]\n`, 'colophon.yaml').sources).toEqual(['./docs']);
  });

  it.each([
    ['an unknown key, with what was meant', `${head}suorces: [./docs]\n`, 3, 'suorces must be left out or spelled `sources`'],
    ['a key inside a source', `${head}sources:\n  - location: a\n    clasification: public\n`, 5, 'spelled `classification`'],
    ['a key inside a location', `${head}sources:\n  - location: { path: a, conector: git }\n`, 4, 'spelled `connector`'],
    ['a key inside a rule', `${head}sources:\n  - location: a\n    rules:\n      - { glob: x, statuss: y }\n`, 6, 'spelled `status`'],
    ['a word outside a closed list', `${head}sources:\n  - location: a\n    classification: intrenal\n`, 5, 'did you mean internal'],
    ['a wrong kind of value', `${head}sources: ./docs\n`, 3, 'sources must be a list'],
    ['another version', 'version: 2\nprofile: personal\nsources: [a]\n', 1, 'version must be 1'],
    ['broken YAML', `${head}sources: ["a\n`, 4, 'must be YAML'],
    ['a key twice', `${head}profile: team\nsources: [a]\n`, 3, 'unique'],
  ])('refuses %s and names the line', (_what, text, line, words) => {
    const refused = refusal(text);
    expect(refused.message).toContain(words);
    expect(refused.line).toBe(line);
  });

  it('never builds anything but plain data from a tag', () => {
    expect(parseConfigFile(`${head}sources: ['!!js/function x']\n`, 'f').sources).toEqual(['!!js/function x']);
    expect(() => parseConfigFile(`${head}sources: [!!js/function 'x']\n`, 'f')).not.toThrow(TypeError);
  });

  it('refuses an alias bomb instead of unfolding it', () => {
    const levels = Array.from({ length: 12 }, (_, level) => {
      const inner = level === 0 ? 'x' : Array.from({ length: 10 }, () => `*a${level - 1}`).join(', ');
      return `a${level}: &a${level} [${inner}]`;
    });
    expect(refusal(`${head}sources: [a]\n${levels.join('\n')}\n`).message).toContain('colophon.yaml');
  });
});

describe('SRC-02: profile team asks for all twelve fields', () => {
  const facts = { schema: 'schema.json', folders: ['./docs'], connector: 'directory' } as const;
  const whole = teamTemplate(facts);

  it('has twelve', () => {
    expect(REGISTRATION_FIELDS).toHaveLength(12);
    expect(() => parseConfigFile(whole, 'colophon.yaml')).not.toThrow();
  });

  it.each(REGISTRATION_FIELDS)('names a missing %s', (field) => {
    const document = parseDocument(whole);
    document.deleteIn(['sources', 0, field]);
    const text = String(document);
    expect(refusal(text).message).toContain(field);
  });

  it('writes templates that parse, with their commented keys too', () => {
    for (const template of [personalTemplate(facts), whole]) {
      expect(() => parseConfigFile(template, 'colophon.yaml')).not.toThrow();
    }
    const optional = personalTemplate(facts)
      .split('\n')
      .filter((line) => !line.startsWith('sources: '))
      .map((line) =>
        /^# {1,}(?:[a-z-]|- )/.test(line) && /[:[{]/.test(line) && !/^# (?:A source|colophon|yaml-)/.test(line) ? line.slice(2) : line,
      )
      .map((line) => line.replace('# ref: HEAD ', 'ref: HEAD '));
    const parsed = parseConfigFile(optional.join('\n').replace('connector: directory', 'connector: git'), 'colophon.yaml');
    expect(parsed.sources).toHaveLength(1);
    expect(parsed.clients).toEqual({ 'my-local-agent': 'local' });
    expect(parsed.models).toHaveLength(1);
  });
});

it('publishes the JSON Schema that the code checks with; `node scripts/write-schemas.mjs` writes it', () => {
  expect(readFileSync('schemas/colophon.schema.json', 'utf8')).toBe(configJsonSchema());
});

it('reads a file of 64 KiB and refuses a longer one without reading it whole', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-'));
  try {
    const file = join(folder, 'colophon.yaml');
    const text = `${head}sources: [docs]\n#`;
    writeFileSync(file, text.padEnd(65_536, 'x'));
    expect((await readConfigFile(file)).sources).toEqual(['docs']);
    writeFileSync(file, text.padEnd(65_537, 'x'));
    await expect(readConfigFile(file)).rejects.toThrow('at most 64 KiB');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it.each(['(a+)+$', `${'*a'.repeat(17)}`])('refuses the glob %s wherever one may stand, by its line', (glob) => {
  const quoted = JSON.stringify(glob);
  expect(refusal(`${head}sources:\n  - location: { path: docs, exclude: [${quoted}] }\n`).message).toContain('exclude');
  expect(refusal(`${head}sources:\n  - location: { path: docs, include: [${quoted}] }\n`).message).toContain('a glob');
  expect(refusal(`${head}sources:\n  - location: docs\n    rules:\n      - { glob: ${quoted} }\n`)).toMatchObject({ line: 6 });
});
