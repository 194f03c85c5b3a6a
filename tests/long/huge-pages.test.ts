/** One page of the largest size that is taken in must not need the memory of a whole machine. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { applyEdits } from '../../src/text/decode-edits.js';
import { outline } from '../../src/text/outline.js';
import { environment, runCommand } from '../support/built-command.js';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js';

const PAGE_BYTES = 31_000_000;
/** 870 where nothing else runs; a machine that is busy collects garbage later. Without a bound it took 3,700. */
const MOST_MEGABYTES = 1536;

let place: TemporaryFolder;
beforeEach(() => {
  place = temporaryFolder();
});
afterEach(() => place.dispose());

/** Runs `index` and says what it answered, and how much memory its process had at most. */
async function indexed(): Promise<{ readonly answer: Record<string, unknown>; readonly megabytes: number }> {
  const told = join(place.path, 'memory.txt');
  place.write(
    'teller.mjs',
    `import { writeFileSync } from 'node:fs';
     process.on('exit', () => writeFileSync(${JSON.stringify(told)}, String(process.resourceUsage().maxRSS / 1024)));`,
  );
  const env = { ...environment(place.path), NODE_OPTIONS: `--import ${pathToFileURL(join(place.path, 'teller.mjs')).href}` };
  const { stdout } = await runCommand(['index', 'docs', '--json'], { cwd: place.path, env });
  return { answer: JSON.parse(stdout), megabytes: Number(readFileSync(told, 'utf8')) };
}

it('ING-09 takes in a page of 31 MB of headings alone within a gigabyte and a half, and says from where on it is not told apart', async () => {
  let text = '';
  for (let at = 0; text.length < PAGE_BYTES; at++) text += `## Heading ${at}\n`;
  place.write('docs/huge.md', text);
  place.write('docs/small.md', '# Small\n\nThe other page is not affected.\n');
  const { answer, megabytes } = await indexed();
  expect(answer).toMatchObject({ documents: 2, problems: [{ code: 'page/too-many-blocks', path: 'huge.md' }] });
  expect(megabytes).toBeGreaterThan(50);
  expect(megabytes).toBeLessThan(MOST_MEGABYTES);
}, 600_000);

it('takes comments out of what is left of a page when it has too many blocks', () => {
  const many = `${'# a\n'.repeat(300_000)}\nplain words <!-- hidden words --> at the end\n`;
  const { unparsedFrom, shown, blocks } = outline(many, { bodyStart: 0, components: false });
  expect(unparsedFrom).toBeGreaterThan(0);
  expect(blocks.at(-1)).toMatchObject({ kind: 'paragraph', start: unparsedFrom, end: many.length - 1 });
  expect(applyEdits(many, shown, many.length - 60)).not.toContain('hidden words');
}, 60_000);
