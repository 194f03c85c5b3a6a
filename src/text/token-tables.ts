/**
 * The generated vocabulary as tables that are read letter by letter; built at the first use, in a few milliseconds.
 *
 * Invariant: a word is in the tree only when the vocabulary lists it; a cost of 0 means unknown.
 */
import { BLOCKS, CLASS_MARKS, JOINTS, PAIRS, QUADS, SPACED, TRIPLES, WHOLE, WORD_CLASSES, WORDS } from './token-vocabulary.js';

export interface TokenTables {
  /** By two characters: 1 when they are one token. */
  readonly pairs: Uint8Array;
  /** Bits, by three characters of seven bits. */
  readonly triples: Uint8Array;
  /** Bits, by four characters as `SLOTS` has them. */
  readonly quads: Uint8Array;
  /** By two letters of seven bits: 1 when a token of some vocabulary holds both, the first small, the second a capital. */
  readonly joints: Uint8Array;
  /** 26 children of each node, 0 for none; the root is node 0. */
  readonly children: Uint16Array;
  /** Class of the word that ends at a node, from 1; 0 for none. */
  readonly wordClass: Uint8Array;
  /** By class, six costs: after a space, after nothing, after a sign, then the same with a capital. */
  readonly costs: Uint8Array;
  /** By UTF-16 unit: tokens of the character, and its flags. */
  readonly characters: Uint8Array;
  /** Blocks of 64 code points whose bytes but the last are one token. */
  readonly blocks: ReadonlySet<number>;
}

/** The character takes the space before it into its token. */
export const TAKES_SPACE = 8;
export const TOKENS_MASK = 7;

/** Letters and the space in six bits; 0 for what is in no quad. */
export const SLOTS = buildSlots();

const SIX: Packing = { bits: 6, slots: SLOTS };
const SEVEN: Packing = { bits: 7, slots: Uint8Array.from({ length: 128 }, (_, unit) => unit) };

let built: TokenTables | undefined;

export function tokenTables(): TokenTables {
  built ??= build();
  return built;
}

function build(): TokenTables {
  const pairs = new Uint8Array(1 << 14);
  const joints = new Uint8Array(1 << 14);
  const triples = new Uint8Array(1 << 18);
  const quads = new Uint8Array(1 << 21);
  for (const key of tokenKeys(PAIRS, 1, SEVEN)) pairs[key] = 1;
  for (const key of tokenKeys(JOINTS, 1, SEVEN)) joints[key] = 1;
  for (const key of tokenKeys(TRIPLES, 2, SEVEN)) setBit(triples, key);
  for (const key of tokenKeys(QUADS, 3, SIX)) setBit(quads, key);
  const costs = new Uint8Array((WORD_CLASSES.length + 1) * 6);
  WORD_CLASSES.forEach((each, index) => {
    for (let at = 0; at < 6; at += 1) costs[(index + 1) * 6 + at] = each.charCodeAt(at) - 48;
  });
  const blocks = new Set(BLOCKS);
  return { pairs, triples, quads, joints, ...buildTree(), costs, characters: buildCharacters(blocks), blocks };
}

/** How a character is packed into a key. */
interface Packing {
  readonly bits: number;
  /** By ASCII character. */
  readonly slots: Uint8Array;
}

const END_OF_GROUP = 0x30;

/**
 * Heads of `length` characters, each with the characters that may follow, closed by a 0.
 *
 * One plain loop over bytes: it runs once in every process, before anything is compiled, and a person waits for it.
 */
function tokenKeys(coded: string, length: number, { bits, slots }: Packing): Uint32Array {
  const units = Buffer.from(coded, 'latin1');
  const keys = new Uint32Array(units.length);
  let count = 0;
  let head = 0;
  let read = 0;
  for (let at = 0; at < units.length; at += 1) {
    const unit = units[at] ?? 0;
    if (unit === END_OF_GROUP) {
      head = 0;
      read = 0;
    } else {
      const key = (head << bits) | (slots[unit] ?? 0);
      if (read < length) {
        head = key;
        read += 1;
      } else keys[count++] = key;
    }
  }
  return keys.subarray(0, count);
}

function setBit(bits: Uint8Array, index: number): void {
  bits[index >> 3] = (bits[index >> 3] ?? 0) | (1 << (index & 7));
}

function buildSlots(): Uint8Array {
  const slots = new Uint8Array(128);
  slots[32] = 53;
  for (let at = 0; at < 26; at += 1) {
    slots[97 + at] = at + 1;
    slots[65 + at] = at + 27;
  }
  return slots;
}

/** Letters are told by plain comparisons: as with `tokenKeys`, calls would cost more than the rest. */
function buildTree(): { readonly children: Uint16Array; readonly wordClass: Uint8Array } {
  const units = Buffer.from(WORDS, 'latin1');
  const classes = new Uint8Array(128);
  for (let at = 0; at < CLASS_MARKS.length; at += 1) classes[CLASS_MARKS.charCodeAt(at)] = at + 2;
  const children = new Uint16Array(units.length * 26);
  const wordClass = new Uint8Array(units.length);
  const path: number[] = [0];
  let nodes = 1;
  let depth = 0;
  for (let at = 0; at < units.length; at += 1) {
    const unit = units[at] ?? 0;
    if (unit >= 65 && unit <= 90) depth = unit - 65;
    else if (unit >= 97 && unit <= 122) {
      children[(path[depth] ?? 0) * 26 + unit - 97] = nodes;
      depth += 1;
      path[depth] = nodes;
      const next = units[at + 1] ?? 0;
      wordClass[nodes] = next >= 97 && next <= 122 ? 0 : 1;
      nodes += 1;
    } else wordClass[path[depth] ?? 0] = classes[unit] ?? 0;
  }
  return { children: children.subarray(0, nodes * 26), wordClass: wordClass.subarray(0, nodes) };
}

function buildCharacters(blocks: ReadonlySet<number>): Uint8Array {
  const characters = new Uint8Array(1 << 16).fill(3);
  for (let unit = 0; unit < 0x800; unit += 1) characters[unit] = 2;
  for (const block of blocks) if (block < 1024) characters.fill(2, block * 64, block * 64 + 64);
  for (const character of WHOLE) if (character.length === 1) characters[character.charCodeAt(0)] = 1;
  for (const character of SPACED) {
    const unit = character.charCodeAt(0);
    if (character.length === 1) characters[unit] = (characters[unit] ?? 3) | TAKES_SPACE;
  }
  return characters;
}
