import { describe, expect, it } from 'vitest';
import { codes, matter, page } from '../../tests/support/ingested-pages.js';
import { OWNER_ONLY } from '../domain/compartment.js';
import type { SourceRegistration } from '../domain/source.js';

describe('governance', () => {
  const filed = async (fields: string, over?: Partial<SourceRegistration>) => (await page(matter(fields), undefined, over)).compartment;

  it('ART-09 lets a page raise its classification and never lower it', async () => {
    expect((await filed('classification: Restricted')).classification).toBe('restricted');
    expect((await filed('classification: public')).classification).toBe('internal');
    expect((await filed('title: x', { classification: 'confidential' })).classification).toBe('confidential');
  });

  it('DOC-18 keeps a private page from remote models', async () => {
    expect((await filed('sensitivity: private')).egress).toBe('local-only');
    expect((await filed('sensitivity: normal')).egress).toBe('any');
    expect((await filed('sensitivity: normal', { egress: 'local-only' })).egress).toBe('local-only');
  });

  it.each([
    'classification: secret',
    'classification:',
    'sensitivity: high',
    'classification: [restricted]',
    'classification: *x',
    'classification: public\nclassification: restricted',
    'title: A: b\nclassification: restricted',
    'title: A: b\nSensitivity: private',
    'a: b\nAllowed-Purposes : [x]\nc:\n\td: e',
    'title: A: b\ntenant_scope: [x]',
    'tenant: nobody-we-know',
  ])('files a page under its owner alone when %j cannot be read', async (fields) => {
    const prepared = await page(matter(fields));
    expect(prepared.compartment).toMatchObject({ permissionsRef: OWNER_ONLY, classification: 'restricted', egress: 'local-only' });
    expect(codes(prepared)).toContain('page/governance-unreadable');
    expect(prepared.artifacts.length).toBeGreaterThan(0);
  });

  it.each([
    ['a blank line in the block', '---\n\ntitle: x\nclassification: restricted\n---\n\nBody.'],
    ['blank lines before it', '\n\n---\nclassification: restricted\n---\n\nBody.'],
    ['spaces before it', '  ---\n  Sensitivity: private\n  ---\n\nBody.'],
    ['a mark and a blank line before it', '\ufeff\n---\nclassification: restricted\n---\nBody.'],
    ['a comment before it', '<!-- made by a tool -->\n---\nacl: [leads]\n---\nBody.'],
    ['a directive before it', '%YAML 1.2\n---\nclassification: restricted\n---\nBody.'],
    ['a name after the rule', '---yaml\ntenant: a\n---\nBody.'],
    ['a remark after the rule', '--- # c\ntitle: x\nclassification: restricted\n---\nBody.'],
    ['TOML', '+++\ntitle = "x"\nclassification = "restricted"\n+++\nBody.'],
    ['JSON', '{\n  "title": "x",\n  "tags": ["a"],\n  "classification": "restricted"\n}\n\nBody.'],
    ['JSON in one line', '{"title": "x", "egress": "local-only"}\n\nBody.'],
    ['no delimiters', 'Title: x\nClassification: Restricted\n\nBody.'],
    ['a broken line between', '---\n\ntitle: x\nand so on\nowner: y\nclassification: restricted\n---\nBody.'],
    ['a merge', matter('base: &b {classification: restricted}\n<<: *b')],
    ['another field around it', matter('meta:\n  sensitivity: private')],
    ['a list around it', matter('parts:\n- name: a\n- name: b\n  classification: restricted')],
    ['a list in one line around it', matter('parts: [{name: a}, {Sensitivity: private}]')],
    ['a list and a field around it', matter('parts:\n- by:\n    - acl: [leads]')],
    ['a tag before it', matter('parts: !!map {classification: restricted}')],
    ['a list, in another form, around it', matter('parts:\n  - - egress: local-only')],
    ['an egress that does not exist', matter('egress: nowhere')],
    ['purposes the source does not have', matter('allowed_purposes: [marketing]')],
    ['two spellings, one unreadable', matter('classification: internal\nClassification: secret')],
  ])('ART-09 is closed by default for governing fields with %s', async (_, text) => {
    const prepared = await page(text);
    expect(prepared.compartment).toMatchObject({ permissionsRef: OWNER_ONLY, classification: 'restricted', egress: 'local-only' });
    expect(prepared.problems.find(({ code }) => code === 'page/governance-unreadable')?.line).toBeGreaterThan(0);
  });

  it.each([
    '# Title\n\nClassification: restricted\n',
    'A page about filing.\n\nClassification: restricted\n',
    '---\n**HARBOUR BOARD**\nRoom 12\n---\nText',
    'Access: this page says how to get it, and whom to ask for more.\n',
    matter('title: x', '# T\n\nText.\n\n---\n\nclassification: restricted\n\n---\n'),
    matter('title: x', 'Classification: restricted\n'),
    '---\n\nA slide.\n\n---\n\nAccess: all\n',
  ])('takes prose for prose: %j', async (text) => {
    const prepared = await page(text);
    expect(prepared.compartment.permissionsRef).toBe('library');
    expect(codes(prepared)).not.toContain('page/governance-unreadable');
  });

  it('says back of a governing key only what it is, on one line', async () => {
    const text = matter('"permissions\\u2028ref": "board"\nparts:\n- "Say: this":\n  - classification: restricted');
    const { problems } = await page(text);
    const { message = '' } = problems.find(({ code }) => code === 'page/governance-unreadable') ?? {};
    expect(message).toContain('classification stands inside another field');
    const twice = await page(
      matter('"tenant\\nscope": a\ntenant_scope: a\n"classi\\tfication": x\n"Classification\\n": public\nclassification: public'),
    );
    for (const each of [...problems, ...twice.problems]) expect(each.message).not.toMatch(/[\n\t\u2028]/);
  });

  it('takes a list of mappings that governs nothing for what it is', async () => {
    const prepared = await page(matter('title: T\nsteps:\n- name: a\n  access: all\n- name: a\n  tenant: b\ntags: [x]'));
    expect(prepared.compartment.permissionsRef).toBe('library');
    expect(prepared.problems).toEqual([]);
    expect(prepared.page.meta).toMatchObject({ tags: ['x'] });
  });

  it('ART-09 takes the strictest of two spellings, and says so', async () => {
    for (const fields of ['classification: public\nClassification: restricted', 'Classification: restricted\nclassification: public']) {
      const prepared = await page(matter(fields));
      expect(prepared.compartment).toMatchObject({ classification: 'restricted', permissionsRef: 'library' });
      expect(codes(prepared)).toContain('page/field-invalid');
    }
    expect((await filed('sensitivity: normal\nSensitivity: private')).egress).toBe('local-only');
  });

  it('ART-09 lets a page narrow egress and purposes and never widen them', async () => {
    expect((await filed('egress: local-only')).egress).toBe('local-only');
    expect((await filed('egress: any', { egress: 'local-only' })).egress).toBe('local-only');
    const over = { allowedPurposes: ['answer', 'audit'] };
    expect((await filed('allowed_purposes: [audit, marketing]', over)).purposes).toEqual(['audit']);
  });

  it('does so for a block nobody closed and for a second block', async () => {
    for (const text of ['---\nclassification: restricted\n\nBody.', matter('title: x', '---\nclassification: restricted\n---\n\nBody.')]) {
      expect((await page(text)).compartment.permissionsRef).toBe(OWNER_ONLY);
    }
  });

  it('reads a governing field that stands once beside another key that stands twice', async () => {
    expect(await filed('classification: confidential\ntags: a\ntags: b')).toMatchObject({
      permissionsRef: 'library',
      classification: 'confidential',
    });
  });

  it('narrows tenants, and lets no page name its readers', async () => {
    expect((await filed('tenant: a', { tenantScope: ['a', 'b'] })).tenants).toEqual(['a']);
    expect((await filed('permissions_ref: everybody')).permissionsRef).toBe(OWNER_ONLY);
    expect((await filed('permissions: People with write access can do this.')).permissionsRef).toBe('library');
    expect((await filed('permissions_ref: library')).permissionsRef).toBe('library');
  });

  describe('section directives', () => {
    const sectioned = (directive: string, over?: Partial<SourceRegistration>) =>
      page(`# A\n\nOpen to all.\n\n## Pay\n\n${directive}\n\nSalaries.\n`, undefined, over);

    it('ART-09 file the whole page as its strictest section asks; none loosens', async () => {
      const board = await sectioned('<!-- colophon: classification=confidential permissions=board -->');
      expect(board.compartment).toMatchObject({ classification: 'confidential', permissionsRef: 'board+library', egress: 'any' });
      expect(board.problems).toMatchObject([{ code: 'page/section-directive', severity: 'info', line: 7 }]);
      expect(board.text).not.toContain('colophon:');
      const two = await page(
        '# A\n\n<!-- colophon: permissions=b -->\n\n## B\n\n<!--colophon: permissions=a, classification=restricted; sensitivity=private-->\n\nText.\n',
      );
      expect(two.compartment).toMatchObject({ classification: 'restricted', permissionsRef: 'a+b+library', egress: 'local-only' });
      expect((await sectioned('<!-- colophon: classification=public -->')).compartment.classification).toBe('internal');
    });

    it.each([
      '<!-- colophon: classification=secret -->',
      '<!-- colophon: clasification=restricted -->',
      '<!-- colophon: permissions=Board Members -->',
      '<!-- colophon: permissions=a permissions=b -->',
      '<!-- colophon: permissions=a=b -->',
      '<!-- Colophon: -->',
      '<!-- colophon: classification=confidential',
    ])('ART-09 that cannot be read close the page to all but its owner: %s', async (directive) => {
      const { compartment, problems } = await sectioned(directive);
      expect(compartment).toMatchObject({ permissionsRef: OWNER_ONLY, classification: 'restricted', egress: 'local-only' });
      expect(problems.map(({ code }) => code)).toContain('page/governance-unreadable');
    });

    it('are text in code, and other comments are none', async () => {
      for (const text of [
        '```\n<!-- colophon: permissions=board -->\n```',
        '`<!-- colophon: permissions=board -->`',
        '<!-- the colophon: see below -->',
      ])
        expect((await sectioned(text)).compartment).toMatchObject({ classification: 'internal', permissionsRef: 'library' });
    });
  });

  it('lets path rules sharpen and never loosen; the last match of a field wins', async () => {
    const over: Partial<SourceRegistration> = {
      trustTier: 'advisory',
      rules: [
        { glob: '**', classification: 'restricted', productVersion: '1' },
        {
          glob: 'guides/**',
          classification: 'public',
          productVersion: '2',
          permissionsRef: 'guides',
          trustTier: 'trusted',
          status: 'legacy',
          sensitivity: 'private',
        },
      ],
    };
    const prepared = await page('Text.', 'guides/a.md', over);
    expect(prepared.compartment).toMatchObject({ classification: 'internal', permissionsRef: 'guides+library', egress: 'local-only' });
    expect(prepared.page).toMatchObject({ tier: 'advisory', meta: { productVersion: '2', status: 'legacy', sensitivity: 'private' } });
    expect((await page(matter('version: 9'), 'guides/a.md', over)).page.meta).toMatchObject({ productVersion: '9', status: 'legacy' });
  });

  it('K-04 takes a page in a folder that was set aside for set aside, whatever the page still says of itself', async () => {
    const under = async (rule: string, own: string) => {
      const over: Partial<SourceRegistration> = { rules: [{ glob: '**', status: rule }] };
      return (await page(matter(`status: ${own}`), 'a.md', over)).page.meta.status;
    };
    expect(await under('legacy', 'current')).toBe('legacy');
    expect(await under('deprecated', 'roadmap')).toBe('deprecated');
    expect(await under('legacy', 'deprecated')).toBe('deprecated');
    expect(await under('current', 'legacy')).toBe('legacy');
    expect(await under('approved', 'research')).toBe('research');
  });
});
