/**
 * Writes src/text/token-vocabulary.ts: what `tokenBound` knows of the vocabularies o200k and cl100k, read from `gpt-tokenizer` (MIT).
 * Takes minutes; run it when another vocabulary is to be bounded. A test checks the file against the tokenizers by samples.
 */
import { writeFileSync } from 'node:fs';
import cl100kRanks from 'gpt-tokenizer/bpeRanks/cl100k_base';
import o200kRanks from 'gpt-tokenizer/bpeRanks/o200k_base';
import { encode as encodeCl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { encode as encodeO200k } from 'gpt-tokenizer/encoding/o200k_base';

const WORDS = 12_000;
/** A longer token that holds the end of one hump and the start of the next was never seen to break a word. */
const LONGEST_JOINT = 4;
const LINE = 240;
/** What may mark the class of a word: neither a letter nor in need of an escape. */
const MARKS = [...'0123456789!"#%&()*+,-./:;<=>?@[]^_{|}~'];
const PREFIXES = [...'\t!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\'', ...'“‘—–…’\u00a0'];
const SUFFIXES = ["'s", "'t", "'re", "'ve", "'ll", "'d", "'m"];
const PLAIN = { disallowedSpecial: new Set() };

const real = (text) => Math.max(encodeCl100k(text, PLAIN).length, encodeO200k(text, PLAIN).length);
const key = (token) => (typeof token === 'string' ? Buffer.from(token, 'utf8') : Buffer.from(token)).toString('latin1');
const ranksOf = (list) => new Map(list.flatMap((token, rank) => (token === undefined ? [] : [[key(token), rank]])));
const cl100k = ranksOf(cl100kRanks);
const o200k = ranksOf(o200kRanks);
const inBoth = (bytes) => cl100k.has(bytes) && o200k.has(bytes);
const byCode = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
const bytesOf = (text) => Buffer.from(text, 'utf8').toString('latin1');

/** Tokens of `length` characters that can lie in one piece of ASCII text: no digits, and a sign only before letters or among signs. */
function shortTokens(length) {
  const shape = length < 4 ? /^(?:[^A-Za-z0-9]?[A-Za-z]+|[^A-Za-z0-9]+)$/ : /^(?:[a-z]{4}|[A-Z]{4}| [A-Za-z][a-z]{2}| [A-Z]{3})$/;
  const tokens = [...cl100k.keys()].filter((token) => token.length === length && /^[\t\n\r -~]+$/.test(token) && inBoth(token));
  return tokens.filter((token) => shape.test(token)).sort(byCode);
}

/** `abc`, `abd`, `abe` as `abcde0`. */
function grouped(tokens) {
  const groups = new Map();
  for (const token of tokens) groups.set(token.slice(0, -1), (groups.get(token.slice(0, -1)) ?? '') + token.at(-1));
  return [...groups].map(([head, last]) => `${head}${last}0`).join('');
}

/** Two letters around which a tokenizer that does not cut between them may join what lies on both sides. */
function joints() {
  const within = [...cl100k.keys()].filter((token) => token.length <= LONGEST_JOINT && /^[A-Za-z]+$/.test(token));
  return [...new Set(within.flatMap((token) => [...token.matchAll(/(?=([a-z][A-Z]))/g)].map((match) => match[1])))].sort(byCode);
}

function frequentWords() {
  const ranks = new Map();
  for (const [token, rank] of cl100k) {
    const word = /^ ([a-z]{3,18}|[A-Z][a-z]{2,17})$/.exec(token)?.[1]?.toLowerCase();
    if (word === undefined || !inBoth(token)) continue;
    const worth = Math.max(rank, (o200k.get(token) ?? 0) / 2);
    ranks.set(word, Math.min(ranks.get(word) ?? Number.POSITIVE_INFINITY, worth));
  }
  const sorted = [...ranks].sort(([a, rankA], [b, rankB]) => rankA - rankB || byCode(a, b));
  return sorted.slice(0, WORDS).map(([word]) => word);
}

/** Most tokens of the word after a space, after nothing, and after a sign, the sign not counted. */
function costs(word) {
  const afterSign = PREFIXES.map((sign) => (sign === "'" && /^(?:[sdmt]|ll|ve|re)/i.test(word) ? 0 : real(sign + word) - real(sign)));
  return [real(` ${word}`), real(word), Math.max(...afterSign)];
}

function costedWords() {
  const costed = [];
  for (const word of frequentWords()) {
    const capital = word[0].toUpperCase() + word.slice(1);
    const cost = [...costs(word), ...costs(capital)];
    const forms = [` ${word}`, word, ` ${capital}`, capital].map((form, at) => [form, cost[[0, 1, 3, 4][at]]]);
    if (forms.every(([form, tokens]) => SUFFIXES.every((suffix) => real(form + suffix) <= tokens + 1))) costed.push([word, cost.join('')]);
  }
  return costed;
}

/** Words in order, each as how much it shares with the one before (A for none), its further letters and the mark of its costs. */
function frontCoded(costed) {
  const counts = new Map();
  for (const [, cost] of costed) counts.set(cost, (counts.get(cost) ?? 0) + 1);
  const kept = [...counts].sort(([a, countA], [b, countB]) => countB - countA || byCode(a, b)).slice(0, MARKS.length + 1);
  const classes = kept.map(([cost]) => cost);
  const sumOf = (cost) => [...cost].reduce((sum, each) => sum + Number(each), 0);
  const covering = (cost) =>
    classes.filter((each) => [...each].every((tokens, at) => tokens >= cost[at])).sort((a, b) => sumOf(a) - sumOf(b) || byCode(a, b))[0];
  let previous = '';
  let coded = '';
  for (const [word, cost] of [...costed].sort(([a], [b]) => byCode(a, b))) {
    const best = covering(cost);
    if (best === undefined) continue;
    let shared = 0;
    while (shared < previous.length && word[shared] === previous[shared]) shared += 1;
    const rank = classes.indexOf(best);
    coded += String.fromCharCode(65 + shared) + word.slice(shared) + (rank === 0 ? '' : MARKS[rank - 1]);
    previous = word;
  }
  return { classes, coded };
}

function outsideAscii() {
  let whole = '';
  let spaced = '';
  const blocks = [];
  for (let point = 0x80; point < 0x20000; point += 1) {
    if (point >= 0xd800 && point <= 0xdfff) continue;
    const text = String.fromCodePoint(point);
    const bytes = bytesOf(text);
    if (real(text) === 1) whole += text;
    // Before a number or another blank, the space stands alone.
    if (real(` ${text}`) === 1 && !/[\p{N}\s]/u.test(text)) spaced += text;
    if (point % 64 === 0 && bytes.length > 2 && inBoth(bytes.slice(0, -1))) blocks.push(point / 64);
  }
  return { whole, spaced, blocks };
}

function constant(name, comment, text) {
  const lines = [];
  let line = '';
  for (const character of text) {
    line += character;
    if (line.length >= LINE) {
      lines.push(line);
      line = '';
    }
  }
  if (line !== '') lines.push(line);
  const quoted = lines.map((each) => `  ${quote(each)},`).join('\n');
  return `/** ${comment} */\nexport const ${name} = [\n${quoted}\n].join('');\n`;
}

/** Outside ASCII, only letters that show themselves are written as they are. */
function quote(text) {
  const escaped = [...JSON.stringify(text)].map((each) => (/^[ -~]|\p{L}$/u.test(each) ? each : escapeUnits(each))).join('');
  if (escaped.split("'").length >= escaped.split('\\"').length) return escaped;
  return `'${escaped.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

function escapeUnits(text) {
  return text
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

const costed = costedWords();
const { classes, coded } = frontCoded(costed);
const { whole, spaced, blocks } = outsideAscii();
writeFileSync(
  new URL('../src/text/token-vocabulary.ts', import.meta.url),
  `/**
 * What the vocabularies o200k_base and cl100k_base have in common, as far as \`tokenBound\` uses it.
 *
 * Generated by scripts/write-token-vocabulary.mjs from the MIT-licensed data of gpt-tokenizer; do not edit.
 *
 * Invariant: every pair, triple and character listed is one token in both; no word costs more than its class says.
 */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: pieces of text.
${constant('PAIRS', 'First character, the second ones, 0.', grouped(shortTokens(2)))}
${constant('TRIPLES', 'First two characters, the third ones, 0.', grouped(shortTokens(3)))}
${constant('QUADS', 'First three characters, the fourth ones, 0: four letters, or three after a space.', grouped(shortTokens(4)))}
${constant('WORDS', 'Words in order: letters shared with the one before (A for none), the others, the mark of their class (the first has none).', coded)}
/** Tokens of a word after a space, after nothing, after a sign; the same with a capital. */
export const WORD_CLASSES = ${quote(classes.join(' '))}.split(' ');
/** The marks of the classes, from the second on. */
export const CLASS_MARKS = ${quote(MARKS.slice(0, classes.length - 1).join(''))};

${constant('JOINTS', 'Small letters and the capitals after which, within one word, cl100k has a short token that holds both; 0.', grouped(joints()))}
${constant('WHOLE', 'Characters outside ASCII that are one token.', whole)}
${constant('SPACED', 'Characters outside ASCII that are one token with the space before.', spaced)}
/** Blocks of 64 code points whose bytes but the last are one token. */
export const BLOCKS: readonly number[] = [${blocks.join(', ')}];
`,
);
process.stdout.write(`${costed.length} words, ${coded.length} letters\n`);
