/** The house rules as tests. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const MAX_LINES = 600;
const BANNED_NAMES = /(^|[-/])(utils?|helpers?|common|misc|manager|service|types|index)[.]ts$/;

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .map((name) => `src/${name.replaceAll('\\', '/')}`)
  .filter((name) => name.endsWith('.ts'))
  .sort();
const modules = sources.filter((name) => !name.endsWith('.test.ts'));
const read = (name: string) => readFileSync(name, 'utf8');

describe('tidy', () => {
  it('every module opens by saying what it answers', () => {
    expect(modules.filter((name) => !/^(#!.*\n)?\/\*\*/.test(read(name)))).toEqual([]);
  });

  it('no file outgrows a sitting', () => {
    expect(sources.filter((name) => read(name).split('\n').length > MAX_LINES)).toEqual([]);
  });

  it('names say what is inside', () => {
    expect(sources.filter((name) => BANNED_NAMES.test(name) || /[A-Z_]/.test(name))).toEqual([]);
  });

  it('every port has a contract suite', () => {
    const suites = readdirSync('tests/contract').filter((name) => name.endsWith('.contract.ts'));
    const covers: Record<string, string> = { 'index-reader': 'index-store', 'index-writer': 'index-store' };
    const ports = modules.filter((name) => name.startsWith('src/ports/')).map((name) => name.replace(/^src\/ports\/|\.ts$/g, ''));
    const untested = ports.filter((port) => !suites.includes(`${covers[port] ?? port}.contract.ts`));
    expect(untested).toEqual([]);
  });

  it('an error is never caught and dropped', () => {
    const dropped = modules.filter((name) => /catch\s*(\([^)]*\))?\s*\{\s*\}/.test(read(name)));
    expect(dropped).toEqual([]);
  });

  it('below the adapters nothing reads the clock, chance, the environment or the console', () => {
    const core = modules.filter((name) => !/^src\/(adapters|app|interfaces)\/|^src\/library\.ts/.test(name));
    const impure = core.filter((name) =>
      /\bDate\.now\(|new Date\(\)|Math\.random\(|process\.(env|stdout|stderr|hrtime)|\bconsole\./.test(read(name)),
    );
    expect(impure).toEqual([]);
  });

  it('every path that the documents name exists', () => {
    const missing: string[] = [];
    for (const document of ['ARCHITECTURE.md', 'README.md', 'CONTRIBUTING.md']) {
      for (const match of read(document).matchAll(/`((?:src|tests|bench|scripts|contracts|docs|examples|schemas)\/[\w./-]*)`/g)) {
        if (match[1] !== undefined && !existsSync(match[1])) missing.push(`${document}: ${match[1]}`);
      }
    }
    expect(missing).toEqual([]);
  });
});

const cruise = (config: string) =>
  execFileSync(
    process.execPath,
    ['node_modules/dependency-cruiser/bin/dependency-cruise.mjs', 'src', '--config', config, '--output-type', 'json'],
    {
      encoding: 'utf8',
      maxBuffer: 64 << 20,
    },
  );
interface Cruised {
  readonly modules: readonly unknown[];
  readonly summary: {
    readonly violations: readonly { readonly rule: { readonly name: string }; readonly from: string; readonly to: string }[];
  };
}

describe('dependency table', () => {
  it('is followed, by a run that saw every module', () => {
    const { modules: seen, summary } = JSON.parse(cruise('.dependency-cruiser.cjs')) as Cruised;
    expect(summary.violations.map((each) => `${each.rule.name}: ${each.from} -> ${each.to}`)).toEqual([]);
    expect(seen.length).toBeGreaterThanOrEqual(modules.length);
  });

  it('catches a planted violation of each kind', () => {
    const folder = mkdtempSync('.planted-');
    try {
      const planted: Record<string, string> = {
        'src/kernel/a.ts': "import '../domain/b.js';",
        'src/domain/b.ts': 'export const b = 1;',
        'src/ingest/c.ts': "import '../retrieval/d.js'; import 'node:fs';",
        'src/retrieval/d.ts': "import '../domain/seal-eligible.js'; export const d = 1;",
        'src/domain/seal-eligible.ts': 'export const seal = 1;',
        'src/app/e.ts': "import '../adapters/x/y/f.js';",
        'src/adapters/x/y/f.ts': "import '../../z/w/g.js'; export const f = 1;",
        'src/adapters/z/w/g.ts': 'export const g = 1;',
        'src/interfaces/cli/h.ts': "import '../mcp/i.js';",
        'src/interfaces/mcp/i.ts': 'export const i = 1;',
        'src/app/j.ts': "import './k.js'; export const j = 1;",
        'src/app/k.ts': "import './j.js'; export const k = 1;",
        'src/app/orphan.ts': 'export const alone = 1;',
      };
      for (const [name, text] of Object.entries(planted)) {
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), `${text}\n`);
      }
      writeFileSync(
        join(folder, 'tsconfig.json'),
        '{"compilerOptions":{"module":"NodeNext","moduleResolution":"NodeNext"},"include":["src"]}',
      );
      const output = execFileSync(
        process.execPath,
        [
          '../node_modules/dependency-cruiser/bin/dependency-cruise.mjs',
          'src',
          '--config',
          '../.dependency-cruiser.cjs',
          '--output-type',
          'json',
        ],
        { cwd: folder, encoding: 'utf8', maxBuffer: 64 << 20 },
      );
      const names = new Set((JSON.parse(output) as Cruised).summary.violations.map((each) => each.rule.name));
      for (const expected of [
        'kernel-may-import',
        'ingest-may-import',
        'no-io-in-the-core',
        'the-seal-has-one-caller',
        'only-the-container-knows-adapters',
        'adapters-are-strangers',
        'interfaces-are-strangers',
        'no-cycles',
        'no-orphans',
      ]) {
        expect(names).toContain(expected);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
