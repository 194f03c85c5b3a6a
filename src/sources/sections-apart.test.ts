import { expect, it } from 'vitest';
import { registrationAt } from '../../tests/support/registrations.js';
import { gitBlobId } from '../kernel/digest.js';
import type { Connector, ListedDocument } from '../ports/connector.js';
import { sectionsApart } from './sections-apart.js';

const never = new AbortController().signal;
const registration = registrationAt({ path: '/x' }, { sections: 'apart' });

function connectorOf(files: Readonly<Record<string, string>>): Connector {
  const bytes = (path: string) => Buffer.from(files[path] ?? '');
  return {
    identity: 'workload://test',
    version: 'test@1',
    list: async () => ({
      cursor: 'c',
      walk: 'complete',
      documents: Object.keys(files).map((path): ListedDocument => ({ path, sizeBytes: 1, signature: 's' })),
      unseen: [],
      problems: [],
      ignored: {},
    }),
    read: async function* (source, documents) {
      for (const { path } of documents) {
        const problem = { code: 'page/gone', severity: 'error', source: source.id, path, message: 'gone', hint: '' } as const;
        yield files[path] === undefined ? { path, problem } : { path, blob: gitBlobId(bytes(path)), bytes: bytes(path) };
      }
    },
    same: async () => new Set(['inner']),
    watch: async () => async () => undefined,
  };
}

async function partsOf(files: Readonly<Record<string, string>>, over: Partial<typeof registration> = {}) {
  const apart = sectionsApart(connectorOf(files));
  const { documents } = await apart.list({ ...registration, ...over }, never);
  const found: Record<string, string> = {};
  for await (const document of apart.read({ ...registration, ...over }, documents, never)) {
    if ('problem' in document) continue;
    expect(gitBlobId(document.bytes)).toBe(document.blob);
    expect(documents.find(({ path }) => path === document.path)?.blob ?? document.blob).toBe(document.blob);
    found[`${document.path}${document.page === undefined ? '' : ` of ${document.page}`}`] = Buffer.from(document.bytes).toString();
  }
  return found;
}

const MARK = '<!-- colophon: permissions=board -->';
const nameOf = (files: Readonly<Record<string, string>>) => Object.keys(files).map((each) => each.replace(/-[0-9a-f]{8}/g, '-#'));

it('ART-09 a marked section is a document of its own, and the page is what it would be without it', async () => {
  const head = '---\ntitle: Book\nclassification: internal\n---\n\n# Book\n\nOpen.\n\n';
  const pay = `## Pay\n\n${MARK}\n\nSalaries.\n\n### Scale\n\nSteps.\n\n`;
  const leave = '## Leave\n\nDays.\n';
  const parts = await partsOf({ 'g/book.md': head + pay + leave });
  expect(nameOf(parts)).toEqual(['g/book.md', 'g/book§pay-#.md of g/book.md']);
  const [page, section] = Object.values(parts);
  expect(page).toBe(head + leave);
  expect(section).toBe(`---\ntitle: Book\nclassification: internal\n---\n\n\n\n${pay}`);
});

it('a mark of the page itself goes with each section; inner marks go with the outer section', async () => {
  const whole = '<!-- colophon: classification=confidential -->';
  const parts = await partsOf({
    'a.md': `# A\n\n${whole}\n\n## One\n\n${MARK}\n\nx\n\n### Two\n\n<!-- colophon: permissions=few -->\n\ny\n\n## Three\n\nz\n`,
  });
  const [page, section, more] = Object.values(parts);
  expect(more).toBeUndefined();
  expect(page).toBe(`# A\n\n${whole}\n\n## Three\n\nz\n`);
  expect(section).toBe(`\n\n${whole}\n\n## One\n\n${MARK}\n\nx\n\n### Two\n\n<!-- colophon: permissions=few -->\n\ny\n\n`);
});

it('leaves alone what it cannot cut out: code, an open comment, marks of the page, other files, other sources', async () => {
  const pages = {
    'code.md': `# A\n\n## B\n\n\`\`\`\n${MARK}\n\`\`\`\n`,
    'open.md': '# A\n\n## B\n\n<!-- colophon: permissions=board\n\ntext\n',
    'title.md': `# A\n\n${MARK}\n\ntext\n`,
    'none.md': `${MARK}\n\ntext\n`,
    'plain.txt': `# A\n\n## B\n\n${MARK}\n`,
    'café.md': '# A\n\ncolophon: a word\n',
  };
  expect(await partsOf(pages)).toEqual(pages);
  const marked = { 'a.md': `# A\n\n## B\n\n${MARK}\n\nx\n` };
  expect(await partsOf({ 'a.md': marked['a.md'] }, { sections: undefined } as object)).toEqual(marked);
});

it('names of sections tell of no other section, and stay when others come and go', async () => {
  const section = (title: string, mark = MARK) => `## ${title}\n\n${mark}\n\nx of ${title}\n\n`;
  const names = async (...sections: readonly string[]) => Object.keys(await partsOf({ 'a.md': `# A\n\n${sections.join('')}` })).slice(1);
  const [pay] = await names(section('Pay'));
  expect(await names(section('Board', '<!-- colophon: permissions=x -->'), section('Pay'), section('Else'))).toContain(pay);
  expect(await names(section('Pay', '<!-- colophon: permissions=x -->'), section('Pay'))).toContain(pay);
  expect((await names(section('Pay'), section('Pay'))).map((each) => each.replace(pay?.replace(/\.md of a\.md$/, '') ?? '', ''))).toEqual([
    '.md of a.md',
    '-2.md of a.md',
  ]);
});

it('reads one section by its name, a file that only looks like one, and tells what is gone', async () => {
  const apart = sectionsApart(connectorOf({ 'a.md': `# A\n\n## B\n\n${MARK}\n\nx\n`, 'b§c-1.md': '# Real\n' }));
  const { documents } = await apart.list(registration, never);
  const read = async (path: string) => {
    for await (const found of apart.read(registration, [{ path, sizeBytes: 0 }], never))
      return 'problem' in found ? found.problem.code : Buffer.from(found.bytes).toString();
    return undefined;
  };
  expect(documents).toHaveLength(3);
  expect(await read(documents[1]?.path ?? '')).toContain('## B');
  expect(await read('b§c-1.md')).toBe('# Real\n');
  expect(await read('a§gone-1.md')).toBe('page/gone');
  const held = new Map(documents.map(({ path, blob }) => [path, blob ?? '']));
  expect([...(await apart.same(registration, documents, held, never))]).toEqual(documents.map(({ path }) => path));
});
