/** T7.5: connections that are of no use keep nobody out, in a model and on sockets. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { httpWorld } from '../../../tests/support/http-world.js';
import { Connections } from './connections.js';
import { serveHttp } from './serve.js';

function model(connections: number, connectionsPerAddress = connections) {
  const closed: string[] = [];
  const away: string[] = [];
  const refused: string[] = [];
  let now = 0;
  const held = new Connections<{ readonly name: string; writableLength: number; destroy(): void }>(
    { connections, connectionsPerAddress },
    ({ name }) => void away.push(name),
    () => now,
    (why) => refused.push(why),
  );
  const come = (name: string, address = 'one') => {
    const socket = { name, writableLength: 0, destroy: () => void closed.push(name) };
    held.take(socket, address);
    return socket;
  };
  const pass = (ms: number) => {
    now += ms;
  };
  return { closed, away, refused, connections: held, come, pass };
}

it('T7.5 an address that has its share makes room for itself, or is turned away, and others come in', () => {
  const { closed, away, refused, connections, come } = model(4, 2);
  const b = [come('a'), come('b')].at(-1);
  const c = come('c');
  expect([closed, away]).toEqual([['a'], []]);
  for (const each of [b, c]) if (each !== undefined) connections.begin(each);
  come('d');
  expect([closed, away]).toEqual([['a'], ['d']]);
  expect(refused).toEqual(['made-room', 'no-room']);
  connections.end(c);
  come('e');
  expect([closed, away]).toEqual([['a', 'c'], ['d']]);
  for (const each of [come('x', 'other'), come('y', 'other')]) connections.begin(each);
  expect(connections.open).toBe(4);
  come('z', 'third');
  expect([closed, away]).toEqual([['a', 'c', 'e'], ['d']]);
});

it('T7.5 of one address only so many may say nothing, once they had the time to', () => {
  const { closed, come, pass } = model(1_000);
  for (let at = 0; at < 100; at += 1) come(`burst-${at}`);
  expect(closed).toEqual([]);
  pass(1_000);
  for (let at = 0; at < 20; at += 1) come(`slow-${at}`);
  come('elsewhere', 'other');
  expect(closed).toEqual(Array.from({ length: 20 }, (_, at) => `burst-${at}`));
});

it('the oldest that never asked goes first, then the one that asked nothing for longest, and never one at work', () => {
  const { closed, connections, come } = model(3);
  const [a, b] = [come('a'), come('b'), come('c')];
  connections.begin(a);
  come('d');
  expect(closed).toEqual(['b']);
  come('e');
  expect(closed).toEqual(['b', 'c']);
  connections.end(a);
  come('f');
  expect(closed).toEqual(['b', 'c', 'd']);
  // What was closed already is counted no more, whatever is still said of it.
  connections.begin(b);
  connections.end(b);
  connections.leave(b);
  expect(connections.open).toBe(3);
});

it('with all at work whoever comes is turned away; with one idle it makes room', () => {
  const { closed, away, connections, come } = model(2);
  const [a, b] = [come('a'), come('b')];
  for (const each of [a, b, b]) connections.begin(each);
  come('c');
  expect(away).toEqual(['c']);
  connections.end(b);
  come('d');
  expect(away).toEqual(['c', 'd']);
  connections.end(b);
  connections.begin(come('e'));
  expect([away, closed]).toEqual([['c', 'd'], ['b']]);
  expect(connections.open).toBe(2);
});

it('T7.5 who leaves its answers unread makes room for others after a while, the idle before it, and never one that is worked for', () => {
  const { closed, away, connections, come, pass } = model(3);
  let taken = 0;
  const look = () => connections.look(10_000, () => String(taken));
  const [idle, unread, atWork] = [come('idle'), come('unread'), come('at work')];
  for (const each of [idle, unread, atWork]) connections.begin(each);
  connections.end(idle);
  unread.writableLength = 1;
  look();
  connections.begin(come('a'));
  connections.begin(come('b'));
  expect([closed, away]).toEqual([['idle'], ['b']]);
  pass(2_000);
  look();
  connections.begin(come('c'));
  connections.begin(come('d'));
  expect([closed, away]).toEqual([
    ['idle', 'unread'],
    ['b', 'd'],
  ]);
  // Time in which it was read does not count.
  atWork.writableLength = 1;
  look();
  atWork.writableLength = 0;
  pass(1_500);
  look();
  atWork.writableLength = 1;
  look();
  pass(1_500);
  come('e');
  expect(away).toEqual(['b', 'd', 'e']);
  // As long as it reads on it stays where nobody needs the place.
  for (let at = 0; at < 8; at += 1) {
    taken += 1;
    look();
    pass(5_000);
  }
  look();
  expect(closed).toEqual(['idle', 'unread']);
  pass(5_000);
  look();
  expect(closed).toEqual(['idle', 'unread', 'at work']);
});

it('three times as many half-open connections as there is room for drop no request', async () => {
  const world = await httpWorld({ limits: { connections: 20 } });
  const server = await serveHttp({ ...world.host, settings: { ...world.host.settings, port: 0 } });
  const sockets: Socket[] = [];
  const halfOpen = async (text: string) => {
    const socket = connect(server.port, '127.0.0.1').on('error', () => undefined);
    sockets.push(socket);
    await once(socket, 'connect');
    socket.write(text);
  };
  try {
    const token = await world.token('person:reader');
    const host = `127.0.0.1:${server.port}`;
    for (let round = 0; round < 3; round += 1) {
      for (const text of [
        '',
        'GET / HT',
        `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nX-`,
        `POST /v1/search HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 9\r\n\r\n`,
      ])
        await Promise.all(Array.from({ length: 15 }, () => halfOpen(text)));
      const response = await fetch(`http://${host}/v1/search`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', connection: 'close' },
        body: '{"query":"kangaroo"}',
      });
      expect(response.status).toBe(200);
      await response.text();
    }
  } finally {
    for (const socket of sockets) socket.destroy();
    world.stop.abort();
    await server.closed;
    await world.dispose();
  }
});

it('T7.5 with its share at work an address is told so and closed, and its requests are answered', async () => {
  const world = await httpWorld({ limits: { connectionsPerAddress: 2 } });
  const server = await serveHttp({ ...world.host, settings: { ...world.host.settings, port: 0 } });
  const atWork = [connect(server.port, '127.0.0.1'), connect(server.port, '127.0.0.1')];
  try {
    const token = await world.token('person:reader');
    const body = '{"query":"kangaroo"}';
    const head = `POST /v1/search HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${token}\r\n`;
    const begun = `${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    for (const socket of atWork) socket.write(begun);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const third = connect(server.port, '127.0.0.1');
    let said = '';
    third.on('data', (chunk) => {
      said += chunk;
    });
    await once(third, 'close');
    expect(said).toMatch(/^HTTP\/1\.1 503 [\s\S]*retry-after: 1\r\n[\s\S]*"code":"limit\/too-many-requests"/);
    const answers = atWork.map(async (socket) => String((await once(socket, 'data'))[0]));
    for (const socket of atWork) socket.write(body);
    for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  } finally {
    for (const socket of atWork) socket.destroy();
    world.stop.abort();
    await server.closed;
    await world.dispose();
  }
});
