/** T7.5: connections that are of no use keep nobody out, in a model and on sockets. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { httpWorld } from '../../../tests/support/http-world.js';
import { Connections } from './connections.js';
import { serveHttp } from './serve.js';

function model(most: number) {
  const closed: string[] = [];
  const connections = new Connections<{ destroy(): void }>(most);
  const come = (name: string) => {
    const socket = { destroy: () => void closed.push(name) };
    connections.take(socket);
    return socket;
  };
  return { closed, connections, come };
}

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
  const { closed, connections, come } = model(2);
  const [a, b] = [come('a'), come('b')];
  for (const each of [a, b, b]) connections.begin(each);
  come('c');
  expect(closed).toEqual(['c']);
  connections.end(b);
  come('d');
  expect(closed).toEqual(['c', 'd']);
  connections.end(b);
  connections.begin(come('e'));
  expect(closed).toEqual(['c', 'd', 'b']);
  expect(connections.open).toBe(2);
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
