import { describe, expect, test } from 'vitest';
import { plainView } from './plain-view.js';

const viewOf = (text: string) => plainView(text)?.text ?? text;

describe('INJ-10 a credential that markup takes apart is read as a reader sees it', () => {
  test.each([
    ['AKIA**IOSF**ODNN', 'AKIAIOSFODNN'],
    ['AKIA__IOSF__ODNN', 'AKIAIOSFODNN'],
    ['AKIA____IOSF', 'AKIAIOSF'],
    ['AKIA<b>IOSF</b>ODNN', 'AKIAIOSFODNN'],
    ['AKIA<b>**`IOSF`**</b>ODNN', 'AKIAIOSFODNN'],
    ['AKIA<!-- a remark -->IOSF', 'AKIAIOSF'],
    ['AKIA~~~~IOSF', 'AKIAIOSF'],
    ['ghp\\_abc&#95;d&lowbar;e', 'ghp_abc_d_e'],
    ['snake_case_name ~ 3 < 4 and a_<b>_c', 'snake_case_name ~ 3 < 4 and a__c'],
    ['**bold** words, `code` and a** b', '**bold** words, `code` and a** b'],
  ])('%s', (text, view) => {
    expect(viewOf(text)).toBe(view);
  });

  test('leads back to the text', () => {
    const text = 'key AKIA**IOSF';
    const view = plainView(text);
    expect(view?.text).toBe('key AKIAIOSF');
    expect(text.slice(view?.origin.start(8), view?.origin.end(12))).toBe('IOSF');
  });

  // With a pattern that tries the ways to part a row of signs, sixty of them would take longer than anyone waits.
  test.each(['*', '_', '`', '~~', '<b>', '<!---->', '<', '**__', '&', '\\'])('linear in rows of %s', (sign) => {
    for (const end of [' ', 'b', '']) expect(viewOf(`a${sign.repeat(100_000)}${end}`).length).toBeLessThanOrEqual(700_002);
  });
});
