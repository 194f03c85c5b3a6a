import { afterAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/temporary-folder.js';
import { readRequestFile } from './request-file.js';

const folder = temporaryFolder();
afterAll(() => folder.dispose());
const read = (text: string) => {
  folder.write('request', text);
  return readRequestFile('request', folder.path);
};

describe('a request file', () => {
  it('is JSON or YAML', async () => {
    const request = { query: 'rotate', facts: ['keys.md'], items: [{ class: 'history', text: 'a\nb', origin: 'chat' }] };
    expect(await read(JSON.stringify(request))).toEqual(request);
    expect(await read('query: rotate\nfacts: [keys.md]\nitems:\n  - class: history\n    origin: chat\n    text: "a\\nb"\n')).toEqual(
      request,
    );
  });

  it.each([
    ['a list', '- a\n', /a set of keys/],
    ['nothing', '', /a set of keys/],
    ['broken', 'query: [a\nx: ]b\n', /JSON or YAML; line 2/],
    [
      'a bomb',
      `a: &a [x,x,x]\n${[...'bcdefgh'].map((k, at) => `${k}: &${k} [${Array(9).fill(`*${'abcdefgh'[at]}`).join(',')}]`).join('\n')}\n`,
      /aliases that multiply/,
    ],
  ])('that is %s is refused in words', async (_, text, message) => {
    await expect(read(text)).rejects.toMatchObject({ code: 'input/invalid', message: expect.stringMatching(message) });
  });

  it('that is not there is said to be unreadable', async () => {
    await expect(readRequestFile('absent', folder.path)).rejects.toMatchObject({ code: 'config/unreadable' });
  });
});
