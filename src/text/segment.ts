/**
 * Segments: where a page is cut, so that each piece answers on its own and none breaks what belongs together.
 *
 * Headings bound them first, then size. A fence, a table, a list item, an HTML or a math block stays whole; one that is larger than
 * the limit becomes its own segments, cut between lines, with its opening (and closing) line repeated. A heading without a body goes
 * with its neighbour.
 *
 * Invariant: no segment is blank, ends with a heading that has a body, or holds half of a character.
 * Invariant: a segment's tokens are measured on its whole text, never summed from parts: what joins two parts may cost a token.
 * Invariant: pieces of a block, repeated lines taken off, give back every line once and in order.
 */
import type { Block, Frame } from './outline-blocks.js';
import { cutLine } from './segment-lines.js';

export interface SegmentLimits {
  /** A segment is closed once it has this many tokens. */
  readonly targetTokens: number;
  /** No segment has more, unless a single character does. */
  readonly maxTokens: number;
}

export const SEGMENT_LIMITS: SegmentLimits = { targetTokens: 310, maxTokens: 620 };
/** Names the rules by which pages are cut; part of the transformation. */
export const SEGMENTER_VERSION = 'segmenter@3';

export interface Segment {
  readonly start: number;
  readonly end: number;
  /** Index among the page's headings; -1 before the first. */
  readonly heading: number;
  /** Lines added around the slice. */
  readonly before: string;
  readonly after: string;
  /** Upper bound, repeated lines included. */
  readonly tokens: number;
}

export interface SegmentInput {
  readonly text: string;
  readonly blocks: readonly Block[];
  /** Upper bound of a text's tokens. */
  readonly tokens: (text: string) => number;
  /** The text of a range as it will be served. */
  readonly served: (start: number, end: number) => string;
  /** The same as a segment of its own: without blank lines around it. */
  readonly excerpt: (start: number, end: number) => string;
  readonly limits?: SegmentLimits;
}

/** Something that stays in one segment. */
interface Unit {
  readonly start: number;
  readonly end: number;
  readonly tokens: number;
  readonly before: string;
  readonly after: string;
  /** A piece of something larger than the limit: nothing joins it. */
  readonly alone: boolean;
  /** What follows belongs to it: a sentence that ends in a colon. */
  readonly leads: boolean;
}

interface Section {
  readonly heading: number;
  readonly headingBlock?: Block;
  readonly blocks: Block[];
}

/** Below this a last piece joins the one before it. */
const SMALL_TOKENS = 60;
const MAX_DEPTH = 24;
/** Text of prose; what has fewer is measured in parts. */
const UNITS_PER_TOKEN = 4;

export function segment(input: SegmentInput): readonly Segment[] {
  const cutter = new Cutter(input);
  const sections = sectionsOf(input.blocks).map((section) => ({ section, segments: cutter.cut(section) }));
  return fold(sections, (piece) => measure(input, piece), (input.limits ?? SEGMENT_LIMITS).maxTokens);
}

type Piece = Pick<Segment, 'start' | 'end' | 'before' | 'after'>;

function measure({ tokens, excerpt }: SegmentInput, { start, end, before, after }: Piece): number {
  return tokens(before + excerpt(start, end) + after);
}

function sectionsOf(blocks: readonly Block[]): readonly Section[] {
  const sections: Section[] = [{ heading: -1, blocks: [] }];
  for (const block of blocks) {
    if (block.kind === 'heading') sections.push({ heading: sections.length - 1, headingBlock: block, blocks: [] });
    else sections.at(-1)?.blocks.push(block);
  }
  return sections;
}

class Cutter {
  readonly #input: SegmentInput;
  readonly #limits: SegmentLimits;

  constructor(input: SegmentInput) {
    this.#input = input;
    this.#limits = input.limits ?? SEGMENT_LIMITS;
  }

  cut(section: Section): Segment[] {
    const { heading, headingBlock, blocks } = section;
    const whole = this.#short(section);
    if (whole !== undefined) return [{ ...whole, heading }];
    const units = blocks.flatMap((block) => (isBody(block) ? this.#units(block, 0) : []));
    if (units.length === 0) return [];
    const lead = headingBlock === undefined ? units : this.#withHeading(headingBlock, units);
    return this.#pack(lead).map(({ start, end, before, after, tokens }) => ({ start, end, heading, before, after, tokens }));
  }

  /** A section that is no more than one segment, measured once. */
  #short({ headingBlock, blocks }: Section): Omit<Segment, 'heading'> | undefined {
    const { targetTokens } = this.#limits;
    const from = headingBlock?.start ?? blocks[0]?.start ?? 0;
    if ((blocks.at(-1)?.end ?? from) - from > targetTokens * UNITS_PER_TOKEN) return undefined;
    const shown = blocks.filter((block) => isBody(block)).flatMap((block) => this.#shown(block));
    const first = shown[0];
    const last = shown.at(-1);
    if (first === undefined || last === undefined) return undefined;
    const piece = { start: headingBlock?.start ?? first.start, end: last.end, before: '', after: '' };
    const tokens = measure(this.#input, piece);
    return tokens <= targetTokens ? { ...piece, tokens } : undefined;
  }

  /** What of a block has text; items of lists one by one. */
  #shown(block: Block): readonly Block[] {
    if (block.kind === 'list') return block.children.flatMap((item) => this.#shown(item));
    return this.#input.excerpt(block.start, block.end).trim() === '' ? [] : [block];
  }

  /** The heading's line stands in the first segment of its section, where there is room. */
  #withHeading(heading: Block, units: readonly Unit[]): readonly Unit[] {
    const first = units[0];
    if (first === undefined) return units;
    const joined = { ...first, start: heading.start };
    const tokens = measure(this.#input, joined);
    return tokens <= this.#limits.maxTokens ? [{ ...joined, tokens }, ...units.slice(1)] : units;
  }

  #tokens(start: number, end: number): number {
    return this.#input.tokens(this.#input.served(start, end));
  }

  #units(block: Block, depth: number): readonly Unit[] {
    const { start, end } = block;
    if (block.kind === 'list') return block.children.flatMap((item) => this.#units(item, depth + 1));
    const shown = this.#input.excerpt(start, end);
    if (shown.trim() === '') return [];
    const tokens = this.#input.tokens(shown);
    if (tokens <= this.#limits.maxTokens) {
      return [
        {
          start,
          end,
          tokens,
          before: '',
          after: '',
          alone: false,
          leads: block.kind === 'paragraph' && endsWithColon(this.#input.text, end),
        },
      ];
    }
    if ((block.kind === 'item' || block.kind === 'quote') && block.children.length > 1 && depth < MAX_DEPTH)
      return this.#childUnits(block, depth);
    return this.#pieces(start, end, block.frame ?? innerFrame(block));
  }

  /** Blocks of a container too large to stay whole; what lies between two of them goes with the later. */
  #childUnits(block: Block, depth: number): readonly Unit[] {
    const units: Unit[] = [];
    for (const child of block.children) units.push(...this.#units(child, depth + 1));
    return units;
  }

  /** Cuts between lines; each piece with its frame stays under the limit. */
  #pieces(start: number, end: number, frame: Frame | undefined): readonly Unit[] {
    const { maxTokens } = this.#limits;
    const whole: Frame = frame ?? { before: '', after: '', bodyStart: start, bodyEnd: end };
    const frameTokens = this.#input.tokens(whole.before) + this.#input.tokens(whole.after);
    const framed = frameTokens <= maxTokens / 2;
    const used = framed ? whole : { before: '', after: '', bodyStart: start, bodyEnd: end };
    for (let room = framed ? maxTokens - frameTokens : maxTokens; ; ) {
      const units = this.#piecesWithin(start, end, used, room);
      const over = units.reduce((most, { tokens }) => Math.max(most, tokens), 0) - maxTokens;
      if (over <= 0 || room <= 1) return units;
      room = Math.max(1, room - over);
    }
  }

  /** Cut so that the lines of each piece, counted one by one, have room. */
  #piecesWithin(start: number, end: number, frame: Frame, room: number): readonly Unit[] {
    const { text } = this.#input;
    const units: Unit[] = [];
    let from = start;
    let tokens = 0;
    const close = (to: number, last: boolean) => {
      const piece = { start: from, end: to, before: from > start ? frame.before : '', after: last ? '' : frame.after };
      units.push({ ...piece, tokens: measure(this.#input, piece), alone: true, leads: false });
      from = to < text.length && text[to] === '\n' ? to + 1 : to;
      tokens = 0;
    };
    for (const line of this.#lines(frame.bodyStart, frame.bodyEnd, room)) {
      if (tokens > 0 && tokens + line.tokens > room)
        close(line.start > from && text[line.start - 1] === '\n' ? line.start - 1 : line.start, false);
      tokens += line.tokens;
    }
    close(end, true);
    return units;
  }

  /** Lines, and parts of lines that alone are too large. */
  *#lines(start: number, end: number, room: number): Generator<{ readonly start: number; readonly tokens: number }> {
    const { text } = this.#input;
    for (let at = start; at < end; ) {
      const feed = text.indexOf('\n', at);
      const lineEnd = feed < 0 || feed >= end ? end : feed + 1;
      const tokens = this.#tokens(at, lineEnd);
      if (tokens <= room) yield { start: at, tokens };
      else for (const part of cutLine(text, at, lineEnd, room, (from, to) => this.#tokens(from, to))) yield part;
      at = lineEnd;
    }
  }

  /** What lies between two units: blank lines, a rule, link definitions. */
  #gap(from: number, to: number): number {
    return to <= from ? 0 : this.#tokens(from, to);
  }

  #pack(units: readonly Unit[]): readonly Unit[] {
    const { targetTokens, maxTokens } = this.#limits;
    const groups: Unit[][] = [];
    let sum = 0;
    for (const unit of units) {
      const group = groups.at(-1);
      const last = group?.at(-1);
      const joined = last === undefined ? 0 : sum + this.#gap(last.end, unit.start) + unit.tokens;
      const joins =
        last !== undefined &&
        !last.alone &&
        !unit.alone &&
        (joined <= targetTokens || ((last.leads || unit.tokens < SMALL_TOKENS) && joined <= maxTokens));
      if (joins) group?.push(unit);
      else groups.push([unit]);
      sum = joins ? joined : unit.tokens;
    }
    return groups.flatMap((group) => this.#asOne(group));
  }

  /** The units as one; as two, or more, where they add up to the limit and their whole passes it. */
  #asOne(group: readonly Unit[]): readonly Unit[] {
    const [first] = group;
    const last = group.at(-1);
    if (first === undefined || last === undefined || first === last) return group;
    const joined = { ...last, start: first.start };
    const tokens = measure(this.#input, joined);
    if (tokens <= this.#limits.maxTokens) return [{ ...joined, tokens }];
    const half = group.length >> 1;
    return [...this.#asOne(group.slice(0, half)), ...this.#asOne(group.slice(half))];
  }
}

function isBody(block: Block): boolean {
  return block.kind !== 'rule' && block.kind !== 'reference';
}

/** An item or quote that holds one framed block is cut as that block. */
function innerFrame(block: Block): Frame | undefined {
  return block.children.length === 1 ? (block.children[0]?.frame ?? undefined) : undefined;
}

function endsWithColon(text: string, end: number): boolean {
  return /:[*_`]{0,3}\s*$/.test(text.slice(Math.max(0, end - 8), end));
}

interface CutSection {
  readonly section: Section;
  readonly segments: readonly Segment[];
}

/** Headings without body: those with sections below them live on in the paths; others go with the segment before, else after. */
function fold(cut: readonly CutSection[], tokens: (piece: Piece) => number, maxTokens: number): readonly Segment[] {
  const segments: Segment[] = [];
  let loose = false; // the last segment is headings alone, so far
  for (const [index, { section, segments: own }] of cut.entries()) {
    const block = section.headingBlock;
    const last = segments.at(-1);
    if (own.length > 0) {
      const first = loose ? joined(last, own[0], tokens, maxTokens) : undefined;
      if (first === undefined) segments.push(...own);
      else segments.splice(-1, 1, first, ...own.slice(1));
      loose = false;
    } else if (block !== undefined && !hasBelow(cut, index)) {
      const { start, end } = block;
      const piece = { start, end, before: '', after: '' };
      const alone: Segment = { ...piece, heading: section.heading, tokens: tokens(piece) };
      const first = joined(last, alone, tokens, maxTokens);
      if (first === undefined || last === undefined) {
        segments.push(alone);
        loose = true;
      } else segments[segments.length - 1] = { ...first, heading: last.heading };
    }
  }
  return segments;
}

/** Both as one under the later's heading; undefined when they do not fit, or repeated lines stand between them. */
function joined(
  before: Segment | undefined,
  after: Segment | undefined,
  tokens: (piece: Piece) => number,
  maxTokens: number,
): Segment | undefined {
  if (before === undefined || after === undefined || before.after !== '' || after.before !== '') return undefined;
  const both = { ...after, start: before.start, before: before.before };
  const bound = tokens(both);
  return bound > maxTokens ? undefined : { ...both, tokens: bound };
}

function hasBelow(cut: readonly CutSection[], index: number): boolean {
  const level = cut[index]?.section.headingBlock?.level ?? 0;
  const next = cut[index + 1]?.section.headingBlock?.level;
  return next !== undefined && next > level;
}
