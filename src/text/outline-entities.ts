/** Character references of HTML that documents use; any other is left as it is written. */
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ensp: ' ',
  emsp: ' ',
  thinsp: ' ',
  copy: '©',
  reg: '®',
  trade: '™',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  bull: '•',
  middot: '·',
  times: '×',
  divide: '÷',
  plusmn: '±',
  deg: '°',
  micro: 'µ',
  sect: '§',
  para: '¶',
  larr: '←',
  rarr: '→',
  uarr: '↑',
  darr: '↓',
  harr: '↔',
  le: '≤',
  ge: '≥',
  ne: '≠',
  euro: '€',
  pound: '£',
  yen: '¥',
  cent: '¢',
  lbrace: '{',
  rbrace: '}',
  lbrack: '[',
  rbrack: ']',
  lpar: '(',
  rpar: ')',
  vert: '|',
  verbar: '|',
  sol: '/',
  bsol: '\\',
  num: '#',
  ast: '*',
  lowbar: '_',
  grave: '`',
  colon: ':',
  semi: ';',
  comma: ',',
  period: '.',
  excl: '!',
  quest: '?',
  equals: '=',
  plus: '+',
  percnt: '%',
  dollar: '$',
  commat: '@',
  Tab: '\t',
  NewLine: ' ',
};

export function decodeEntity(entity: string): string | undefined {
  const body = entity.slice(1, entity.endsWith(';') ? -1 : undefined);
  if (!body.startsWith('#')) return NAMED[body];
  const hexadecimal = body[1] === 'x' || body[1] === 'X';
  const point = Number.parseInt(body.slice(hexadecimal ? 2 : 1), hexadecimal ? 16 : 10);
  if (!Number.isInteger(point) || point <= 0 || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) return undefined;
  return point === 10 || point === 13 ? ' ' : String.fromCodePoint(point);
}

/** All references of a text. */
export function decodeEntities(text: string): string {
  return text.includes('&')
    ? text.replace(/&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,10});/g, (found) => decodeEntity(found) ?? found)
    : text;
}
