/** ATH-06: a path that is a page of two sources is refused with both names; what the asker may not read makes nothing unclear. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolveConfig } from '../../src/app/configuration/config.js';
import { openContainer } from '../../src/app/container.js';
import { resolveAsk } from '../../src/app/identity.js';
import { learn } from '../../src/app/learning/learn.js';
import type { Library } from '../../src/app/library.js';
import type { Call } from '../../src/app/operations/catalogue.js';
import { context } from '../../src/app/operations/context.js';
import { whyNotPage } from '../../src/app/operations/explain.js';
import { get } from '../../src/app/operations/get.js';
import { pageHistory } from '../../src/app/operations/page-moves.js';
import type { Instant } from '../../src/kernel/clock.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const NOW = Date.UTC(2026, 10, 30, 12) as Instant;
const folder = temporaryFolder();
let library: Library;

const page = (which: string, more = '') => `${more}# Leave\n\n## Carrying over\n\nThe ${which} lets five days of leave be carried over.\n`;
const callAs = (ceiling: 'internal' | 'confidential'): Call => ({
  library,
  ask: resolveAsk(library.config, { ceiling }, { workload: 'workload://colophon/cli', defaultClient: 'terminal' }, NOW),
  signal: new AbortController().signal,
  progress: () => undefined,
});
const read = (
  input: { path: string; source?: string; anchor?: string; raw?: boolean },
  ceiling: 'internal' | 'confidential' = 'confidential',
) => get.run(get.input.parse(input), callAs(ceiling));

beforeAll(async () => {
  folder.write('colophon.yaml', 'version: 1\nprofile: personal\nsources: [{ location: ./people }, { location: ./clinic }]\n');
  folder.write('people/leave.md', page('people desk'));
  folder.write('clinic/leave.md', page('clinic'));
  folder.write('people/badge.md', page('people desk'));
  folder.write('clinic/badge.md', page('clinic', '---\nclassification: confidential\n---\n'));
  folder.write(
    `people/${MENU}`,
    `# Menu\n\nSee the <a id="soup"></a>soup.\n\n## Days\n\nNone.\n\n<a name="fish"></a>\n\n## Fish\n\nOn Fridays.\n`,
  );
  const env = { COLOPHON_HOME: `${folder.path}/home` };
  library = await openContainer(await resolveConfig({ env, cwd: folder.path }), { now: () => NOW });
  await learn(library);
});
afterAll(async () => {
  await library.close();
  folder.dispose();
});

/** As some file systems write a name: letters and accents apart. */
const MENU = 'menü-café.md'.normalize('NFD');

const REFUSAL = {
  code: 'page/ambiguous',
  kind: 'invalid',
  message: 'leave.md is a page of more than one source: clinic:leave.md, people:leave.md.',
};

describe('a path that two sources have', () => {
  it('is refused by get, with its anchors, by why-not and as a required fact', async () => {
    await expect(read({ path: 'leave.md' })).rejects.toMatchObject(REFUSAL);
    await expect(read({ path: './leave.md', anchor: 'carrying-over' })).rejects.toMatchObject(REFUSAL);
    const { digest } = await context.run(context.input.parse({ query: 'days of leave carried over' }), callAs('confidential'));
    const ask = whyNotPage.input.parse({ package: digest, page: 'leave.md' });
    await expect(whyNotPage.run(ask, callAs('confidential'))).rejects.toMatchObject(REFUSAL);
    const required = context.input.parse({ query: 'days of leave carried over', facts: ['leave.md'] });
    await expect(context.run(required, callAs('confidential'))).rejects.toMatchObject(REFUSAL);
  });

  it.each([
    [{ path: 'leave.md', source: 'people' }, 'people'],
    [{ path: 'leave.md', source: 'clinic' }, 'clinic'],
    [{ path: 'people:leave.md' }, 'people'],
    [{ path: 'clinic/leave.md' }, 'clinic'],
    [{ path: 'people leave.md' }, 'people'],
  ])('%j names one', async (input, source) => {
    expect(await read(input)).toMatchObject({ source, path: 'leave.md' });
  });

  it('is named with its lines as a context prints it, and lines that are asked for go before those', async () => {
    expect(await read({ path: 'clinic leave.md:5-6' })).toMatchObject({ source: 'clinic', lines: { start: 5, end: 5 } });
    expect(await read({ path: 'people:leave.md:3' })).toMatchObject({
      source: 'people',
      lines: { start: 3, end: 3 },
      text: '## Carrying over\n',
    });
    expect(await read({ path: 'people leave.md:1', anchor: 'carrying-over' })).toMatchObject({ lines: { start: 3 } });
    await expect(read({ path: 'people leave.md:90' })).rejects.toThrow('a range within 1-5');
    await expect(read({ path: 'leave.md:3' })).rejects.toMatchObject(REFUSAL);
    await expect(read({ path: 'people nothing.md:3' })).rejects.toThrow('people nothing.md:3 was not found');
  });
});

it('ATH-06: a page of another source that the asker may not read leaves the name clear', async () => {
  expect(await read({ path: 'badge.md' }, 'internal')).toMatchObject({ source: 'people', path: 'badge.md' });
  await expect(read({ path: 'badge.md' })).rejects.toMatchObject({ code: 'page/ambiguous' });
});

describe('a page with named places, whose name has accents', () => {
  it('is found as it is typed, by get, by orders and by why-not', async () => {
    const typed = MENU.normalize('NFC');
    expect(await read({ path: typed })).toMatchObject({ path: MENU, title: 'Menu' });
    expect(await read({ path: `people:${typed}` })).toMatchObject({ path: MENU });
    expect(await pageHistory.run({ path: typed }, callAs('confidential'))).toMatchObject({ path: MENU, state: 'indexed' });
    await expect(read({ path: typed, raw: true })).rejects.toMatchObject({ code: 'not-found' });
  });

  it('is read from the section a place stands in, or stands before', async () => {
    expect(await read({ path: MENU, anchor: 'soup' })).toMatchObject({ lines: { start: 1 }, headingPath: ['Menu'] });
    expect(await read({ path: MENU, anchor: '#fish' })).toMatchObject({ lines: { start: 11, end: 13 }, headingPath: ['Menu', 'Fish'] });
    await expect(read({ path: MENU, anchor: 'meat' })).rejects.toMatchObject({ code: 'not-found' });
  });
});
