import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wordMarker } from './mark-words.js';

const marked = (question: string, text: string) =>
  wordMarker(question)(text)
    .filter((piece) => piece.marked)
    .map((piece) => piece.text);

describe('mark words', () => {
  it('marks whole words of the question, whatever their case or ending, and none that only joins others', () => {
    expect(marked('How do I reload the configuration?', 'Reloading: the CONFIGURATION and the configurations; preload, how')).toEqual([
      'Reloading',
      'CONFIGURATION',
      'configurations',
    ]);
  });

  it('marks identifiers whole, words inside names, and scripts without blanks', () => {
    expect(marked('what is ERR-4012?', 'see err-4012 and ERR-4013, err-40123')).toEqual(['err-4012']);
    expect(marked('which labels?', 'GroupLabels of a group')).toEqual(['GroupLabels']);
    expect(marked('液压系统', '的液压')).toEqual(['液压']);
  });

  it('marks nothing for a question of nothing but joining words', () => {
    expect(wordMarker('how do I')('how do I')).toEqual([{ text: 'how do I', marked: false }]);
    expect(wordMarker('')('')).toEqual([{ text: '', marked: false }]);
  });

  it('never changes the text, whatever was asked of whatever', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (question, text) => {
        for (const each of [text, `${text} ${question}`]) {
          expect(
            wordMarker(question)(each)
              .map((piece) => piece.text)
              .join(''),
          ).toBe(each);
        }
      }),
      { numRuns: 300 },
    );
  });
});
