/**
 * T1.3 on the command line: every reading verb, for six principals and each state of a page, in a library with the page and in one
 * without it. What is not for the asker, and what was never there, are the same bytes and the same exit code.
 */
import { EventEmitter } from 'node:events';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../src/app/operations/all.js';
import { runProgram } from '../../src/interfaces/cli/program.js';
import { type HttpWorld, httpWorld, MAY_SEE, PEOPLE, pathOf, STATES, type State, wordOf } from '../support/http-world.js';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js';

const BETWEEN = STATES.filter((state) => state !== 'nonexistent');
const worlds = new Map<State, HttpWorld>();
let copies: TemporaryFolder;

beforeAll(async () => {
  copies = temporaryFolder();
  for (const state of STATES) {
    const world = await httpWorld({ without: state });
    worlds.set(state, world);
    world.audit.flush();
  }
});
afterAll(async () => {
  for (const world of worlds.values()) await world.dispose();
  copies.dispose();
});

/** How each verb is asked for a page. */
const ARGUMENTS: Readonly<Record<string, (state: State) => readonly string[]>> = {
  'citations check': (state) => ['citations', 'check', `answer-${state}.md`],
  context: (state) => ['context', `where does the ${wordOf(state)} sleep`, '--attempt', 'one', '--fact', `page:${pathOf(state)}`],
  gate: (state) => ['gate', '--attempt', 'one', '--tool', 'Read', '--destination', pathOf(state), '--payload-digest', 'a'.repeat(64)],
  get: (state) => ['get', pathOf(state), '--meta', '--links', '--segments'],
  'models list': () => ['models', 'list'],
  'package bind': () => ['package', 'bind', 'last', '--attempt', 'two'],
  'package check': () => ['package', 'check', 'last'],
  'package diff': () => ['package', 'diff', 'last', 'last'],
  'package export': () => ['package', 'export', 'last'],
  'package list': () => ['package', 'list'],
  'package show': () => ['package', 'show', 'last'],
  'package verify': () => ['package', 'verify', 'last'],
  'page history': (state) => ['page', 'history', pathOf(state), '--source', state],
  'page list': () => ['page', 'list'],
  search: (state) => ['search', wordOf(state)],
  status: () => ['status'],
  why: (state) => ['why', pathOf(state)],
  'why-not': (state) => ['why-not', pathOf(state)],
};

/** For whoever keeps the library, and tried by tests of their own. */
const OF_ITS_KEEPER = /^(?:policy|source|vocabulary) /;
const reading = OPERATIONS.filter(
  ({ authority, surfaces, name }) => authority === 'read' && surfaces.includes('cli') && !OF_ITS_KEEPER.test(name),
);

async function asked(folder: string, person: string, args: readonly string[]): Promise<string> {
  const written: string[] = [];
  const stream = () =>
    Object.assign(new EventEmitter(), { write: (text: string) => written.push(text) > 0, isTTY: false, columns: undefined });
  const host = Object.assign(new EventEmitter(), {
    stdout: stream(),
    stderr: stream(),
    env: { HOME: copies.path, COLOPHON_HOME: undefined, TZ: 'UTC' },
    cwd: () => folder,
    exit: (code: number) => {
      throw new Error(`exit ${code}`);
    },
  });
  const code = await runProgram([...args, '--as', person, '--json'], host as unknown as Parameters<typeof runProgram>[1]);
  // Times are those of the clock, a bundle's digest covers them, and boundaries are made by chance.
  const plain = written.join('').replace(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, 'TIME');
  const told = plain.replace(/\\"digest\\":\\"[0-9a-f]{64}\\"/g, 'DIGEST').replace(/(<<<|>>>)data [0-9a-f]+/g, '$1data');
  return `${code}\n${told.replaceAll(folder, 'FOLDER')}`;
}

describe.each(PEOPLE)('T1.3 %s', (person) => {
  it('every verb says the same of what is not for them and of what was never there', async () => {
    expect(reading.map(({ name }) => name).sort()).toEqual(Object.keys(ARGUMENTS).sort());
    const different: string[] = [];
    for (const state of BETWEEN.filter((each) => !MAY_SEE[person].includes(each))) {
      const [whole, without] = (['nonexistent', state] as const).map((each, at) => {
        const copy = join(copies.path, `${at}`);
        cpSync(worlds.get(each)?.folder.path ?? '', copy, { recursive: true, preserveTimestamps: true });
        return copy;
      }) as [string, string];
      for (const folder of [whole, without]) writeFileSync(join(folder, `answer-${state}.md`), `See ${pathOf(state)}:1.\n`);
      for (const { name } of reading.toSorted((a, b) => Number(b.name === 'context') - Number(a.name === 'context'))) {
        const args = ARGUMENTS[name]?.(state) ?? [];
        const [one, other] = [await asked(whole, person, args), await asked(without, person, args)];
        if (one !== other) different.push(`${args.join(' ')}:\n${one.slice(0, 1_500)}\n${other.slice(0, 1_500)}`);
      }
      for (const folder of [whole, without]) rmSync(folder, { recursive: true, force: true });
    }
    expect(different).toEqual([]);
  });
});
