import { Command } from 'commander';
import { expect, it } from 'vitest';
import { asQuestion } from './bare-question.js';

const program = new Command().option('--json').option('--root <folder>').option('-q, --quiet');
const verbs = ['search', 'status', 'ask'];
const read = (line: string) => asQuestion(line.split(' '), program, verbs);

it.each([
  ['search key rotation', 'search'],
  ['--json search key', 'search'],
  ['--root status search key', 'search'],
  ['--root=status search key', 'search'],
  ['how do I', 'ask'],
  ['./docs status', 'ask'],
  ['--json --root x how', 'ask'],
  ['-- search', 'ask'],
  ['--help', undefined],
])('CLI-05: %s is for %s', (line, verb) => {
  const { argv, verb: found } = read(line);
  expect(found).toBe(verb);
  if (verb === 'ask') expect(argv[0]).toBe('ask');
  else expect(argv).toEqual(line.split(' '));
});
