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
/** 870 where nothing else runs; without a bound it took 3,700. */
const MOST_MEGABYTES = 1024;
/** A machine that is busy collects garbage later, so the least of as many runs counts. */
const RUNS = 3;

let place: TemporaryFolder;
beforeEach(() => {
  place = temporaryFolder();
});
afterEach(() => place.dispose());

/** Runs `index` for a user who never did, and says what it answered, and how much memory its process had at most. */
async function indexed(user: string): Promise<{ readonly answer: Record<string, unknown>; readonly megabytes: number }> {
  const told = join(place.path, 'memory.txt');
  place.write(
    'teller.mjs',
    `import { writeFileSync } from 'node:fs';
     process.on('exit', () => writeFileSync(${JSON.stringify(told)}, String(process.resourceUsage().maxRSS / 1024)));`,
  );
  const env = { ...environment(join(place.path, user)), NODE_OPTIONS: `--import ${pathToFileURL(join(place.path, 'teller.mjs')).href}` };
  const { stdout } = await runCommand(['index', 'docs', '--json'], { cwd: place.path, env });
  return { answer: JSON.parse(stdout), megabytes: Number(readFileSync(told, 'utf8')) };
}

it('ING-09 takes in a page of 31 MB of headings alone within a gigabyte, and says from where on it is not told apart', async () => {
  let text = '';
  for (let at = 0; text.length < PAGE_BYTES; at++) text += `## Heading ${at}\n`;
  place.write('docs/huge.md', text);
  place.write('docs/small.md', '# Small\n\nThe other page is not affected.\n');
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS && least >= MOST_MEGABYTES; run += 1) {
    const { answer, megabytes } = await indexed(`user-${run}`);
    expect(answer).toMatchObject({ documents: 2, sources: [{ added: 2 }], problems: [{ code: 'page/too-many-blocks', path: 'huge.md' }] });
    expect(megabytes).toBeGreaterThan(50);
    least = Math.min(least, megabytes);
  }
  expect(least).toBeLessThan(MOST_MEGABYTES);
}, 600_000);

it('takes comments out of what is left of a page when it has too many blocks', () => {
  const many = `${'# a\n'.repeat(300_000)}\nplain words <!-- hidden words --> at the end\n`;
  const { unparsedFrom, shown, blocks } = outline(many, { bodyStart: 0, components: false });
  expect(unparsedFrom).toBeGreaterThan(0);
  expect(blocks.at(-1)).toMatchObject({ kind: 'paragraph', start: unparsedFrom, end: many.length - 1 });
  expect(applyEdits(many, shown, many.length - 60)).not.toContain('hidden words');
}, 60_000);
