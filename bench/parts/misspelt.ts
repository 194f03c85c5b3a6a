/**
 * A seeded hand that misspells one word of a question as people do it: a letter left out, doubled, exchanged for its neighbour on the
 * keyboard, or swapped with the next.
 */
import { below, generator } from '../../src/evaluation/bootstrap.js';
import { isStopWord } from '../../src/text/stop-words.js';

const SEED = 20_260_102;
const LEAST_LETTERS = 5;
const LONG_WORD = 8;
/** In a hundred slips: how many are of the first letter, and how many long words are hit twice. */
const FIRST_LETTER = 5;
const TWICE = 20;
const NEIGHBOURS: Readonly<Record<string, string>> = {
  a: 'qwsz',
  b: 'vghn',
  c: 'xdfv',
  d: 'serfcx',
  e: 'wsdr',
  f: 'drtgvc',
  g: 'ftyhbv',
  h: 'gyujnb',
  i: 'ujko',
  j: 'huikmn',
  k: 'jiolm',
  l: 'kop',
  m: 'njk',
  n: 'bhjm',
  o: 'iklp',
  p: 'ol',
  q: 'wa',
  r: 'edft',
  s: 'awedxz',
  t: 'rfgy',
  u: 'yhji',
  v: 'cfgb',
  w: 'qase',
  x: 'zsdc',
  y: 'tghu',
  z: 'asx',
};

/** One word of the question misspelt; undefined when it has none that is long enough. */
export function misspelt({ id, text }: { readonly id: string; readonly text: string }): string | undefined {
  const random = generator([...id].reduce((sum, each) => Math.imul(sum ^ each.charCodeAt(0), 0x01000193), SEED) >>> 0);
  const words = [...text.matchAll(/(?<![\w.-])[A-Za-z]+(?![\w.-]\w)/g)].filter(
    ([word]) => word.length >= LEAST_LETTERS && !isStopWord(word.toLowerCase()) && !/[a-z][A-Z]/.test(word),
  );
  const chosen = words[below(words.length, random)];
  if (chosen === undefined) return undefined;
  const [word] = chosen;
  const twice = word.length >= LONG_WORD && below(100, random) < TWICE;
  const wrong = twice ? slipped(slipped(word, random), random) : slipped(word, random);
  return `${text.slice(0, chosen.index)}${wrong}${text.slice(chosen.index + word.length)}`;
}

/** A letter left out, doubled, exchanged for its neighbour on the keyboard, or swapped with the next. */
function slipped(word: string, random: () => number): string {
  const first = below(100, random) < FIRST_LETTER ? 0 : 1;
  for (;;) {
    const at = first === 0 ? 0 : 1 + below(word.length - 1, random);
    const [before, letter, after] = [word.slice(0, at), word.charAt(at), word.slice(at + 1)];
    const near = NEIGHBOURS[letter.toLowerCase()] ?? 'e';
    const kind = below(4, random);
    const wrong = [
      before + after,
      before + letter + letter + after,
      before + near.charAt(below(near.length, random)) + after,
      before + after.charAt(0) + letter + after.slice(1),
    ][kind];
    if (wrong !== undefined && wrong !== word) return wrong;
  }
}
