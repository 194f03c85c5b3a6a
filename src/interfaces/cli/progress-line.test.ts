import { describe, expect, it } from 'vitest';
import { progressLine } from './progress-line.js';
import type { Terminal } from './terminal.js';

function recorded(interactive: boolean, style: 'auto' | 'json' | 'none' = 'auto', width = 100) {
  const said: string[] = [];
  let clock = 0;
  const plain = (text: string | number | null | undefined) => String(text);
  const terminal = {
    talkIsInteractive: interactive,
    talkColors: { dim: plain },
    width,
    say: (text: string) => said.push(text),
  } as unknown as Terminal;
  const line = progressLine(terminal, style, () => clock);
  const go = (done: number, total: number, afterMs: number) => {
    clock += afterMs;
    line.show({ phase: 'indexing docs', done, total });
  };
  return { said, go, line };
}

describe('progress', () => {
  it('says each tenth of a large run, with the total, and never goes back', () => {
    const { said, go } = recorded(false);
    for (let done = 0; done <= 1500; done += 1) go(done, 1500, 0);
    go(700, 1500, 5000);
    const numbers = said.map((line) => Number(/ (\d+)\/1500/.exec(line)?.[1]));
    expect(numbers.length).toBeGreaterThanOrEqual(10);
    expect([...numbers].sort((a, b) => a - b)).toEqual(numbers);
    expect(numbers.at(-1)).toBe(1500);
  });

  it('says a line a second, with rate and time left', () => {
    const { said, go } = recorded(false);
    for (let done = 0; done <= 50; done += 10) go(done, 50, 1000);
    expect(said.some((line) => /\/s, \d+ s left/.test(line))).toBe(true);
  });

  it('renews one line on a terminal, within its width, and clears it', () => {
    const { said, go, line } = recorded(true, 'auto', 40);
    for (let done = 0; done <= 500; done += 50) go(done, 500, 200);
    line.end();
    expect(said.every((text) => text.startsWith('\r\x1b[2K') && !text.includes('\n'))).toBe(true);
    expect(said.every((text) => text.length <= 40 + '\r\x1b[2K'.length)).toBe(true);
    expect(said.at(-1)).toBe('\r\x1b[2K');
  });

  it('speaks JSON lines on request, and nothing when told to', () => {
    const json = recorded(false, 'json');
    json.go(0, 200, 0);
    json.go(200, 200, 1000);
    for (const line of json.said) expect(JSON.parse(line)).toMatchObject({ schema: 'colophon/progress@1', total: 200 });
    const none = recorded(false, 'none');
    none.go(200, 200, 5000);
    expect(none.said).toEqual([]);
  });
});
