/** T7.5: an agent's answer that is streamed counts as worked on until it ends, however little of it is read. */
import { expect, it } from 'vitest';
import { heldUntilEnded } from './held-until-ended.js';
import { Turnstile } from './traffic.js';

const settled = () => new Promise((resolve) => setImmediate(resolve));

function streamed(lastWords?: Parameters<typeof heldUntilEnded>[2]) {
  const turnstile = new Turnstile({ concurrent: 1, queued: 0, waitMs: 60_000 });
  const time = new AbortController();
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      stream = controller;
    },
    cancel: () => {
      cancelled = true;
    },
  });
  const response = heldUntilEnded(
    (run) => turnstile.pass('ana', time.signal, () => run(time.signal)),
    async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
    lastWords,
  );
  const say = (text: string) => stream?.enqueue(new TextEncoder().encode(text));
  return { turnstile, time, response, say, end: () => stream?.close(), isCancelled: () => cancelled };
}

it('holds its place while it is streamed, and hands on what is said as it is said', async () => {
  const { turnstile, response, say, end } = streamed();
  const reader = (await response).body?.getReader();
  say('one');
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('one');
  expect(turnstile.running).toBe(1);
  await expect(turnstile.pass('bo', new AbortController().signal, async () => undefined)).rejects.toThrow();
  end();
  expect((await reader?.read())?.done).toBe(true);
  await settled();
  expect(turnstile.running).toBe(0);
});

it('frees its place when it is over though nobody reads it', async () => {
  const { turnstile, response, say, end } = streamed();
  await response;
  for (let at = 0; at < 100; at += 1) say('x'.repeat(10_000));
  end();
  for (let at = 0; at < 300 && turnstile.running > 0; at += 1) await settled();
  expect(turnstile.running).toBe(0);
});

it('frees its place when the client leaves, and when its time is over', async () => {
  const left = streamed();
  await (await left.response).body?.cancel();
  await settled();
  expect([left.turnstile.running, left.isCancelled()]).toEqual([0, true]);
  const late = streamed();
  const { body } = await late.response;
  late.time.abort(new Error('late'));
  await expect(body?.getReader().read()).rejects.toThrow('late');
  await settled();
  expect([late.turnstile.running, late.isCancelled()]).toEqual([0, true]);
});

it('T8.4: tells whoever still listens that its time is over, after all that was said before', async () => {
  const late = streamed((reason) => `over: ${reason instanceof Error ? reason.message : ''}`);
  const { body } = await late.response;
  late.say('one ');
  await settled();
  late.time.abort(new Error('late'));
  expect(await new Response(body).text()).toBe('one over: late');
  for (let at = 0; at < 300 && late.turnstile.running > 0; at += 1) await settled();
  expect([late.turnstile.running, late.isCancelled()]).toEqual([0, true]);
});

it('an answer that is no stream, and a fault, are over at once', async () => {
  const turnstile = new Turnstile({ concurrent: 1, queued: 0, waitMs: 60_000 });
  const { signal } = new AbortController();
  const inPlace = (run: (signal: AbortSignal) => Promise<void>) => turnstile.pass('ana', signal, () => run(signal));
  expect(await (await heldUntilEnded(inPlace, async () => Response.json({ a: 1 }))).json()).toEqual({ a: 1 });
  await expect(heldUntilEnded(inPlace, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  await settled();
  expect(turnstile.running).toBe(0);
});
