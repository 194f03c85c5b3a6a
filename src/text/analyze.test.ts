import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isWellFormed } from '../kernel/digest.js';
import { fold, foldedWords, indexTerms, MAX_TERM_UNITS, queryTokens } from './analyze.js';

const body = (text: string): readonly string[] => indexTerms(text).body;
const identifiers = (text: string): readonly string[] => indexTerms(text).identifiers;
const words = (text: string): readonly string[] => body(text).filter((term) => !term.startsWith('~'));

describe('words', () => {
  test('are folded: case, accents, compatibility forms, quotes', () => {
    expect(words('Über naïve ﬁle Straße “Quoted” ΟΔΟΣ İstanbul')).toEqual([
      'uber',
      'naive',
      'file',
      'strasse',
      'quoted',
      'οδοσ',
      'istanbul',
    ]);
  });

  test('are the same beside a word of another script as without it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii', maxLength: 60 }), (text) => {
        expect(foldedWords(`${text} Ω`)).toEqual([...foldedWords(text), 'ω']);
      }),
    );
  });

  test('composed and decomposed spellings are one', () => {
    expect(indexTerms('re\u0301sume\u0301')).toEqual(indexTerms('résumé'));
    expect(indexTerms('한글 서버'.normalize('NFD'))).toEqual(indexTerms('한글 서버'));
  });

  test('carry their Porter stem when it differs', () => {
    expect(body('agents run')).toEqual(['agents', '~agent', 'run']);
  });

  test('apostrophes: possessives fall, contractions close up, names keep their parts', () => {
    expect(words("the gate's don't O'Brien it’s l'installation")).toEqual([
      'the',
      'gate',
      'dont',
      'obrien',
      'brien',
      'it',
      'linstallation',
      'installation',
    ]);
  });

  test('numbers with units part, plain numbers stay', () => {
    expect(words('10ms python3 2048 7F3A')).toEqual(['10ms', '10', 'ms', 'python3', 'python', '3', '2048', '7f3a']);
  });

  test('an em dash parts words, a hyphen joins them', () => {
    expect(words('fast—slow')).toEqual(['fast', 'slow']);
    expect(identifiers('fast‑slow')).toEqual(['#fast-slow']);
  });
});

describe('RET-03 identifiers, whole and in parts', () => {
  test.each([
    ['retry_backoff_ms', ['retry', 'backoff', 'ms'], ['#retry_backoff_ms']],
    ['parseTideXMLResponse', ['parsetidexmlresponse', 'parse', 'tide', 'xml', 'response'], ['#parsetidexmlresponse']],
    ['getBerthById', ['getberthbyid', 'get', 'berth', 'by', 'id'], ['#getberthbyid']],
    ['GitHub', ['github', 'git', 'hub'], []],
    ['APIs', ['apis'], []],
    ['berth-lint', ['berth', 'lint'], ['#berth-lint']],
    ['1.0.21', ['1', '0', '21'], ['#1.0.21']],
    ['v1.0.21.', ['v1', '0', '21'], ['#v1.0.21', '#1.0.21']],
    ['C++', ['c'], ['#c++']],
    ['C++17', ['c', '17'], ['#c++17', '#c++']],
    ['C#,', ['c'], ['#c#']],
    ['.NET', ['net'], ['#.net']],
    ['--no-moor', ['no', 'moor'], ['#--no-moor', '#no-moor']],
    ['-x', ['x'], ['#-x']],
    ['@scope/pkg', ['scope', 'pkg'], ['#@scope/pkg', '#scope/pkg']],
    ['std::vector', ['std', 'vector'], ['#std::vector']],
    ['$VAR', ['var'], ['#$var']],
    ['ERR-4012:', ['err', '4012'], ['#err-4012']],
    ['E-LOCK-7F3A', ['e', 'lock', '7f3a'], ['#e-lock-7f3a']],
    [
      'src/text/analyze-terms.ts',
      ['src', 'text', 'analyze', 'terms', 'ts'],
      ['#src/text/analyze-terms.ts', '#analyze-terms.ts', '#analyze-terms'],
    ],
    ['config.retry_backoff', ['config', 'retry', 'backoff'], ['#config.retry_backoff', '#retry_backoff']],
    ['https://a.example/x?k=1', ['https', 'a', 'example', 'x', 'k', '1'], ['#https://a.example/x?k=1', '#a.example']],
    ['C:\\Users\\me', ['c', 'users', 'me'], ['#c:/users/me']],
    ['foo\\_bar', ['foo', 'bar'], ['#foo_bar']],
    ['__init__', ['init'], ['#__init__']],
    ['_emphasis_', ['emphasis'], []],
    ['#123', ['123'], ['##123']],
    ['release-1.0.21.md', ['release', '1', '0', '21', 'md'], ['#release-1.0.21.md', '#release-1.0.21', '#1.0.21']],
  ])('%s', (text, parts, whole) => {
    expect(words(text)).toEqual(parts);
    expect(identifiers(text)).toEqual(whole);
  });

  test('a version is no part of a longer one', () => {
    expect(identifiers('1.0.21')).not.toContain('#1.0.2');
  });

  test('punctuation around a name does not change it', () => {
    for (const around of ['(retry_ms)', '"retry_ms".', '`retry_ms`,', '**retry_ms**', '[retry_ms]:']) {
      expect(identifiers(around)).toEqual(['#retry_ms']);
    }
  });
});

describe('scripts without spaces', () => {
  test('become pairs of characters; a lone character stands alone', () => {
    expect(body('液压泵。水')).toEqual(['^液压', '^压泵', '^水']);
    expect(body('サーバー')).toEqual(['^サー', '^ーバ', '^バー']);
    expect(body('𠮷野家')).toEqual(['^𠮷野', '^野家']);
  });

  test('an ideograph between other characters is a word of its own, in a text and in a question', () => {
    expect(body('鍵は九十日')).toEqual(['^鍵', '^鍵は', '^は九', '^九十', '^十日']);
    expect(body('新しい鍵')).toEqual(['^新', '^新し', '^しい', '^い鍵', '^鍵']);
    expect(body('合鍵')).toEqual(['^合鍵']);
    expect(body('時々は')).toEqual(['^時々', '^々は']);
    expect(body('𠮷の')).toEqual(['^𠮷', '^𠮷の']);
    expect(queryTokens('鍵とは').map(({ term }) => term)).toEqual(['^鍵', '^鍵と', '^とは']);
  });

  test('Latin words glued to them are set free', () => {
    expect(body('闸门gate-agent负责')).toEqual(['^闸门', 'gate', 'agent', '^负责']);
    expect(identifiers('闸门gate-agent负责')).toEqual(['#gate-agent']);
  });

  test('a run of Thai is found by any stretch of two or more characters', () => {
    const held = new Set(body('เซิร์ฟเวอร์ล่ม'));
    for (const term of body('เวอร์')) expect(held).toContain(term);
  });
});

describe('questions', () => {
  test('an identifier comes before its parts, and the parts say that they are parts', () => {
    expect(queryTokens('what is ERR-4012').map((token) => [token.kind, token.role, token.term, token.stop])).toEqual([
      ['word', 'whole', 'what', true],
      ['word', 'whole', 'is', true],
      ['identifier', 'whole', '#err-4012', false],
      ['word', 'part', 'err', false],
      ['word', 'part', '4012', false],
    ]);
  });

  test('words joined by a hyphen keep their meaning', () => {
    expect(queryTokens('pre-commit').map((token) => token.role)).toEqual(['compound', 'element', 'element']);
  });

  test('a name that ends in a number is not asked for without it', () => {
    expect(queryTokens('python3').map((token) => token.term)).toEqual(['python3']);
    expect(body('python3')).toEqual(expect.arrayContaining(['python3', 'python', '3']));
  });

  test('symbols alone give nothing', () => {
    expect(queryTokens('🚀 !!! ??? -- "" \ud800')).toEqual([]);
  });

  test('phrases are compared by folded words', () => {
    expect(foldedWords('The “Gate-Agent” v1.0 液压')).toEqual(['the', 'gate', 'agent', 'v1', '0', '液', '压']);
  });
});

describe('properties', () => {
  const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.string());
  const namey = fc
    .array(fc.constantFrom(...'abzABZ019_-.:/\\@#+$&\' "?=,()', '://', '++', '液', 'é', '\ud800', '𠮷'), { maxLength: 40 })
    .map((each) => each.join(''));

  test('any text is analysed; terms are bounded and well formed', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, namey), (text) => {
        const { body: terms, identifiers: whole } = indexTerms(text);
        for (const term of [...terms, ...whole]) {
          expect(term.length).toBeGreaterThan(0);
          expect(term.length).toBeLessThanOrEqual(MAX_TERM_UNITS * 2 + 1);
          expect(term).not.toMatch(/\s/);
          expect(isWellFormed(term)).toBe(true);
        }
        for (const term of terms) expect(term.startsWith('#')).toBe(false);
        for (const term of whole) expect(term.startsWith('#')).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('folding twice is folding once', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(fold(fold(text))).toBe(fold(text));
      }),
      { numRuns: 500 },
    );
  });

  test('whatever a question asks for is found in a text that holds the question', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, namey), (text) => {
        const held = new Set([...body(text), ...identifiers(text)]);
        for (const token of queryTokens(text)) expect(held.has(token.term)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('lines are independent of each other', () => {
    fc.assert(
      fc.property(namey, namey, (a, b) => {
        expect(body(`${a}\n${b}`)).toEqual([...body(a), ...body(b)]);
      }),
    );
  });

  test('time is linear: hostile lines cost no more than others of their size', () => {
    const hostile = [`${'a-'.repeat(1e5)}`, 'aB'.repeat(1e5), "a'".repeat(1e5), 'C+'.repeat(1e5), '://a?'.repeat(4e4), 'a.1'.repeat(7e4)];
    for (const text of hostile) {
      const started = performance.now();
      indexTerms(text);
      expect(performance.now() - started).toBeLessThan(30_000);
    }
  });
});
