/**
 * `colophon ./docs "question"`: when the first word is no verb, the whole line is a question for the hidden verb `ask`.
 *
 * Invariant: a verb always wins, so adding a verb is the only thing that can change what an existing line means.
 */
import type { Command } from 'commander';

export interface ReadLine {
  readonly argv: readonly string[];
  /** The verb to load; undefined when there is no text at all, only options such as `--help`. */
  readonly verb: string | undefined;
  /** Where in `argv` the first word of a question stands, when it is near enough to a verb to be looked at again. */
  readonly nearVerb?: number;
}

export function asQuestion(argv: readonly string[], program: Command, verbs: readonly string[]): ReadLine {
  const first = firstText(argv, program);
  if (first === undefined) return { argv, verb: undefined };
  if (!first.afterDashes && verbs.includes(first.text)) return { argv, verb: first.text };
  // Who ends with a question mark asks.
  const near = !first.afterDashes && !argv.at(-1)?.endsWith('?') && verbs.some((verb) => mayBeSlipFor(verb, first.text));
  return { argv: ['ask', ...argv], verb: 'ask', ...(near ? { nearVerb: first.at } : {}) };
}

/** Short verbs are one letter away from too many words that questions begin with. */
const LEAST_LETTERS = 4;

function mayBeSlipFor(verb: string, word: string): boolean {
  return Math.min(verb.length, word.length) >= LEAST_LETTERS && Math.abs(verb.length - word.length) <= 1 && verb[0] === word[0];
}

interface FirstText {
  readonly text: string;
  readonly at: number;
  readonly afterDashes: boolean;
}

function firstText(argv: readonly string[], program: Command): FirstText | undefined {
  const takingValue = new Set(program.options.filter((each) => each.required).flatMap((each) => [each.long, each.short]));
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    if (word === '--') {
      const text = argv[index + 1];
      return text === undefined ? undefined : { text, at: index + 1, afterDashes: true };
    }
    if (!word.startsWith('-') || word === '-') return { text: word, at: index, afterDashes: false };
    // A verb's own options come after the verb; before it only the program's take a value.
    if (takingValue.has(word)) index += 1;
  }
  return undefined;
}
