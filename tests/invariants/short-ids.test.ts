/** What the lines of a context call a passage, `get` finds; to who may not read it, it is as absent as one that never was. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { resolveConfig } from '../../src/app/configuration/config.js';
import { openContainer } from '../../src/app/container.js';
import { resolveAsk } from '../../src/app/identity.js';
import { learn } from '../../src/app/learning/learn.js';
import type { Library } from '../../src/app/library.js';
import type { Call } from '../../src/app/operations/catalogue.js';
import { context } from '../../src/app/operations/context.js';
import { get } from '../../src/app/operations/get.js';
import { Fault } from '../../src/kernel/errors.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const folder = temporaryFolder();
let library: Library;

const callAs = (ceiling: 'internal' | 'confidential'): Call => ({
  library,
  ask: resolveAsk(library.config, { ceiling }, { workload: 'workload://colophon/mcp', defaultClient: 'terminal' }, library.clock.now()),
  signal: new AbortController().signal,
  progress: () => undefined,
});
const read = (path: string, ceiling: 'internal' | 'confidential') => get.run(get.input.parse({ path }), callAs(ceiling));
/** All that is told of what is not given, but for the name that was asked. */
const refusal = (path: string, ceiling: 'internal' | 'confidential') =>
  read(path, ceiling).then(
    () => 'given',
    (fault: Fault) =>
      fault instanceof Fault ? [fault.code, fault.kind, fault.message, fault.hint].join('\n').replaceAll(path, 'IT') : fault,
  );

beforeAll(async () => {
  folder.write('colophon.yaml', 'version: 1\nprofile: personal\nsources: [./docs]\n');
  const lamps = ['burns until the sun is up and is lit by hand', 'has a red glass because ships asked for one', 'was sold to a museum'];
  for (const [at, what] of lamps.entries())
    folder.write(`docs/lamp-${at}.md`, `# Lamp ${at} of the pier\n\nThe lamp keeper knows: it ${what}.\n`);
  folder.write(
    'docs/pay.md',
    '---\nclassification: confidential\n---\n# Pay of the pier\n\nThe lamp keeper of the pier is paid by the night.\n',
  );
  const env = { COLOPHON_HOME: `${folder.path}/home` };
  library = await openContainer(await resolveConfig({ env, cwd: folder.path }));
  await learn(library);
});
afterAll(async () => {
  await library.close();
  folder.dispose();
});

it('ATH-06 a short id of a context is read by whoever may read it, and is nothing to anybody else', async () => {
  const { rendered, items } = await context.run(context.input.parse({ query: 'lamp keeper of the pier' }), callAs('confidential'));
  const shown = [...rendered.matchAll(/ka_[0-9a-f]+/g)].map(([id]) => id);
  expect(shown.length).toBeGreaterThan(1);
  expect(shown.some((id) => id.length < 35)).toBe(true);
  for (const id of shown) {
    const item = items.find(({ artifact }) => artifact.startsWith(id));
    expect(await read(id, 'confidential')).toMatchObject({ path: item?.path, lines: item?.lines });
  }
  const hidden = items.find(({ path }) => path === 'pay.md')?.artifact.slice(0, 11) ?? '';
  expect(shown).toContain(hidden);
  const absent = 'ka_00000000';
  expect(await refusal(hidden, 'internal')).toBe(await refusal(absent, 'internal'));
  expect(await refusal(hidden, 'internal')).toMatch(/^not-found\nnot-found\nIT was not found\./);
});
