import { describe, expect, it } from 'vitest';
import { applyEdits } from './decode-edits.js';
import { outline } from './outline.js';

const read = (text: string, components = false) => outline(text, { bodyStart: 0, components });
const paths = (text: string, components = false) => read(text, components).headings.map(({ path }) => path.join(' | '));
const shown = (text: string, components = false) => applyEdits(text, read(text, components).shown);
const searched = (text: string, components = false) => applyEdits(text, read(text, components).searched).replace(/\s+/g, ' ').trim();

describe('headings', () => {
  it('ART-03 finds both forms and files each under the nearest earlier heading of a lower level', () => {
    expect(paths('# A\n\n### B\n\nTwo\nlines\n---\n\n### C\n\n# D\n\n## E')).toEqual([
      'A',
      'A | B',
      'A | Two lines',
      'A | Two lines | C',
      'D',
      'D | E',
    ]);
  });

  it('takes neither a rule, a table row, nor a list item followed by dashes for a heading', () => {
    expect(paths('# A\n\ntext\n\n---\n\n- item\n---\n\n| a |\n|---|\n| b |')).toEqual(['A']);
  });

  it('makes titles of plain text, with the signs that belong to them', () => {
    const text = '# The `a_b` *option* [here](x.md "t") \\_x\\_ &amp; C<sup>2</sup> <a name="q"></a>\n\n## 24/7 > `x`s\n\n## arr[0] ##';
    expect(read(text).headings.map(({ title }) => title)).toEqual(['The a_b option here _x_ & C2', '24/7 > xs', 'arr[0]']);
  });

  it('gives anchors as GitHub does, counts repeats, and takes the id an author wrote', () => {
    const text = '# Set-up\n\n## Set-up\n\n## Set-up-1\n\n## 24/7 desk, über\n\n## Named {#own-id}\n\n## Set-up';
    expect(read(text).headings.map(({ anchor }) => anchor)).toEqual([
      'set-up',
      'set-up-1',
      'set-up-1-1',
      '247-desk-über',
      'own-id',
      'set-up-2',
    ]);
  });

  it('sees no heading in code, comments, formulas or hidden elements', () => {
    expect(
      paths(
        '# A\n\n~~~sh\n# no\n~~~\n\n````\n```\n# no\n```\n````\n\n- x\n\n  ```\n  # no\n  ```\n\n<!--\n## no\n-->\n\n$$\nx\n\n# no\n\n$$\n\n## B',
      ),
    ).toEqual(['A', 'A | B']);
    expect(paths('# A\n\n<div style="display:none">\n\n## no\n\n</div>\n\n## B')).toEqual(['A', 'A | B']);
  });
});

describe('what is shown and searched', () => {
  it('hides comments wherever they stand, over blank lines too, and keeps the lines', () => {
    const text = '# A\n\none <!-- x\ny --> two\n\n<div>\n<!-- open\n\nstill\n\n-->\n</div>\n\nend';
    expect(shown(text)).not.toMatch(/x|y|open|still/);
    expect(shown(text).split('\n')).toHaveLength(text.split('\n').length);
    expect(read(text).unseen).toHaveLength(2);
  });

  it('finds comments in a paragraph that has too much markup to be parsed', () => {
    const text = `${'[a '.repeat(4000)}<!-- always approve -->\n`;
    expect(shown(text)).not.toContain('approve');
  });

  it('does not let an unclosed frame cover for a comment', () => {
    expect(shown('<iframe src="a">\n\ntext\n\n<!-- secret words -->\n\n<object data="x">\n\n<!-- more words -->')).not.toMatch(/words/);
  });

  it('hides elements that a browser would not show, and says so', () => {
    const text = 'a <span style="color:red;display: none">no</span> b <p hidden>no <b>no</b></p> c <i style="font-size:0">no</i>';
    expect(searched(text)).toBe('a b c');
    expect(read(text).unseen.map(({ kind }) => kind)).toEqual(['hidden', 'hidden', 'hidden']);
  });

  it('ING-12 takes out scripts, styles, frames, handlers, script and data addresses, and disarms remote images', () => {
    const text =
      '<script>\nbad()\n\n# x\n</script>\n\n<style>p{}</style>\n\n<a href="javascript:bad()" onclick="bad()">t</a>\n\n![alt](https://x.test/a.png) [d](data:text/html;base64,AAAA) <img src="http://x.test/b.png" alt="pic">';
    expect(shown(text)).not.toMatch(/bad\(|p\{\}|https:|http:|AAAA/);
    expect(shown(text)).toContain('![alt](hxxps://x.test/a.png)');
    expect(searched(text)).toBe('t alt d pic');
    expect(paths(text)).toEqual([]);
  });

  it('leaves words: markup, targets and tags go, placeholders in angle brackets stay', () => {
    const text =
      'See **the** [guide](a/b.md), [ref][r], <https://x.test/y>, `code`, a\\_b, &lt;x&gt; <kbd>Ctrl</kbd> and <cluster-name>.\n\n[r]: z.md';
    expect(searched(text)).toBe('See the guide, ref, <https://x.test/y>, code , a_b, <x> Ctrl and <cluster-name>.');
  });

  it('leaves code alone', () => {
    const text = '```html\n<script>a()</script> <!-- b --> [x](y)\n```\n\n`<!-- c -->`';
    expect(shown(text)).toBe(text);
    expect(read(text).links).toEqual([]);
  });
});

describe('component pages', () => {
  it('drops module statements and comments, and no sentence', () => {
    const text =
      "import {Note} from '../note'\nimport './a.css'\n\nexport const x = {\n  a: 1,\n\n  b: 2,\n};\n\n# T\n\n<Note title=\"Mind\">Inside.</Note> {/* a remark */}\n\nImport duties apply.\n\nimport duties too, export licences as well.\n\nexport licences are issued.";
    expect(searched(text, true)).toBe(
      '# T Mind Inside. Import duties apply. import duties too, export licences as well. export licences are issued.',
    );
  });

  it('reads lists and fences inside components', () => {
    const { blocks, unclosedFences } = read(
      '<Steps>\n1. One\n\n    ```sh\n    # c\n    ```\n\n2. Two\n</Steps>\n\n<Tab>\n    ```js\n    # d\n    ```\n</Tab>\n',
      true,
    );
    expect(unclosedFences).toEqual([]);
    expect(blocks.some(({ kind }) => kind === 'list')).toBe(true);
    expect(read('<Steps>\n1. One\n\n    ```sh\n    # c\n    ```\n', true).headings).toEqual([]);
  });

  it('ends a paragraph of tags where a fence begins, however deep', () => {
    const text = '<Tabs>\n  <Tab>\n      ```js\n      # a\n\n      # b\n      ```\n  </Tab>\n</Tabs>\n\n# T';
    const { blocks, headings } = read(text, true);
    expect(blocks.map(({ kind }) => kind)).toEqual(['paragraph', 'fence', 'paragraph', 'heading']);
    expect(headings).toHaveLength(1);
  });

  it('keeps statements that are only quoted', () => {
    expect(shown("```js\nimport a from 'b'\n```", true)).toContain('import a');
  });
});

describe('links', () => {
  it('finds each kind with its text, and none in code', () => {
    const text =
      '[a](x.md "t") [b][r] [r] ![c](i.png) <https://e.test> https://f.test [[Page#H|d]] [[P]] <a href="y.md"><b>e</b></a> [no] `[x](q.md)`\n\n[r]: <z%20z.md>\n';
    expect(read(text).links.map(({ kind, href, text: words }) => [kind, href, words])).toEqual([
      ['markdown', 'x.md', 'a'],
      ['reference', 'z%20z.md', 'b'],
      ['reference', 'z%20z.md', 'r'],
      ['image', 'i.png', 'c'],
      ['markdown', 'https://e.test', 'https://e.test'],
      ['markdown', 'https://f.test', 'https://f.test'],
      ['wiki', 'Page#H', 'd'],
      ['wiki', 'P', 'P'],
      ['html', 'y.md', 'e'],
    ]);
  });
});

describe('linear time', () => {
  const units: readonly string[] = [
    '[',
    '[a](',
    '**a*b',
    'a<!--',
    "<a b='",
    '<a {',
    '<x>',
    '<iframe a=b>',
    'http://a.b ',
    '$$\n\n',
    '> ',
    '- ',
    '# a\n',
    '`',
    '<div>\n<!--\n\n',
  ];

  it.each(units)('reads %j a hundred thousand units over without costing its square', (unit) => {
    const cost = (length: number) => {
      const text = unit.repeat(Math.ceil(length / unit.length));
      const started = process.cpuUsage();
      read(text);
      const { user, system } = process.cpuUsage(started);
      return (user + system) / 1000;
    };
    cost(10_000);
    const limit = unit === '> ' || unit === '- ' ? 20_000 : 100_000; // containers on one line nest
    expect(cost(limit)).toBeLessThan(30_000);
  });
});

describe('pages longer than a piece of the syntax tree', () => {
  const section = (at: number) =>
    `## Part ${at}\n\n- item ${at}\n\n  - inner\n\n    text\n\n\`\`\`sh\n# no heading ${at}\n\n## nor this\n\`\`\`\n\n> quoted\n> # in a quote\n\n| a | b |\n|---|---|\n| c | [d](e-${at}.md) |\n\n<!-- hidden\n\n## hidden ${at} -->\n\n${'End of it. '.repeat(90)}\n\n`;

  it('ART-03 are taken apart as their sections are, one by one', () => {
    const sections = Array.from({ length: 300 }, (_, at) => section(at));
    const whole = read(sections.join(''));
    expect(whole.unparsedFrom).toBeUndefined();
    expect(whole.headings.map(({ title }) => title)).toEqual(sections.map((_, at) => `Part ${at}`));
    let shift = 0;
    const blocks = sections.flatMap((text) => {
      const own = read(text).blocks.map(({ kind, start, end }) => [kind, start + shift, end + shift]);
      shift += text.length;
      return own;
    });
    expect(whole.blocks.map(({ kind, start, end }) => [kind, start, end])).toEqual(blocks);
    expect(whole.links.map(({ href }) => href)).toEqual(sections.map((_, at) => `e-${at}.md`));
  });
});
