import { describe, expect, it } from 'vitest';
import { frameGate } from './frame-gate.js';

function gate(limit: number) {
  const passed: string[] = [];
  const answers: unknown[] = [];
  const held = frameGate({ pass: (line) => passed.push(line.toString()), answer: (frame) => answers.push(JSON.parse(frame)) }, limit);
  return { passed, answers, say: (text: string) => held.take(Buffer.from(text)), end: () => held.end() };
}

const request = (id: unknown, more: object = {}) => JSON.stringify({ jsonrpc: '2.0', id, method: 'ping', ...more });

describe('the gate before the protocol', () => {
  it('passes each message once, however it is cut, the last without a line end', () => {
    const { passed, answers, say, end } = gate(1_000);
    const all = `${request(1)}\r\n\n${request('é')}\n${request(3)}`;
    const bytes = Buffer.from(all);
    for (const byte of bytes) say(String.fromCharCode(byte));
    end();
    expect(passed).toHaveLength(3);
    expect(passed.map((line) => JSON.parse(line).id)).toEqual([1, Buffer.from('é').toString('latin1'), 3]);
    expect(answers).toEqual([]);
  });

  it('answers what is not JSON, or no object, with a null id', () => {
    const { passed, answers, say } = gate(1_000);
    say(`{"id": 4, oops\n[]\n7\n{"jsonrpc":"1.0","id":6,"method":"x"}\n${request(5)}\n`);
    expect(answers).toMatchObject([
      { jsonrpc: '2.0', id: null, error: { code: -32700 } },
      { id: null, error: { code: -32600 } },
      { id: null, error: { code: -32600 } },
      { id: 6, error: { code: -32600 } },
    ]);
    expect(passed).toEqual([request(5)]);
  });

  it('answers a message that is too long by its id, when that stands first, and goes on', () => {
    const { passed, answers, say } = gate(200);
    const long = 'x'.repeat(500);
    for (const id of [7, 'a"b']) say(`${request(id, { params: { long } })}\n`);
    say(`${JSON.stringify({ params: { id: 8, long }, id: 9 })}\n`);
    say(`{"id":${'1'.repeat(600)}}\n`);
    say(`${request(10)}\n`);
    expect(answers).toMatchObject([7, 'a"b', null, null].map((id) => ({ id, error: { code: -32600 } })));
    expect(passed).toEqual([request(10)]);
  });
});
