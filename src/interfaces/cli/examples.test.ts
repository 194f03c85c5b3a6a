import type { Command } from 'commander';
import { expect, it } from 'vitest';
import type { Cli } from './cli.js';
import { EXAMPLES } from './examples.js';
import { createProgram, withVerbs } from './program.js';
import { openTerminal } from './terminal.js';

it('every verb has one example in its help', async () => {
  const cli: Cli = {
    terminal: openTerminal(process, []),
    exit: () => undefined,
    about: () => undefined,
    pointed: (text) => text,
    wholeProgram: () => Promise.reject(new Error('not asked for')),
  };
  const program = await withVerbs(createProgram(cli), cli, undefined);
  const named = (command: Command, before: string): string[] =>
    command.commands.flatMap((each) => [`${before}${each.name()}`, ...named(each, `${before}${each.name()} `)]);
  expect(Object.keys(EXAMPLES).sort()).toEqual(named(program, '').sort());
});
