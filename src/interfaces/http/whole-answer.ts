/**
 * Answers whose text is there in whole before the first byte leaves are sent in one piece, past the streams that others go through.
 *
 * Invariant: what is sent is what the response says, status, headers and text.
 */
import type { ServerResponse } from 'node:http';

const texts = new WeakMap<Response, string | Buffer<ArrayBuffer>>();

/** The same bytes may be given to many: they are not copied for each. */
export function wholeAnswer(text: string | Buffer<ArrayBuffer>, init: ResponseInit): Response {
  const response = new Response(text, init);
  texts.set(response, text);
  return response;
}

/** Tells the bridge to Node that nothing is left to send. */
const ALREADY_SENT = new Response(null, { headers: { 'x-hono-already-sent': 'true' } });

/** The response as it is for whoever sends it: itself, or an empty one when it was sent here. */
export function sent(response: Response, outgoing: ServerResponse): Response {
  const text = texts.get(response);
  if (text === undefined || outgoing.headersSent || outgoing.destroyed) return response;
  const body = typeof text === 'string' ? Buffer.from(text) : text;
  const headers: Record<string, string> = {};
  for (const [name, value] of response.headers) headers[name] = value;
  outgoing.writeHead(response.status, { ...headers, 'content-length': body.byteLength });
  outgoing.end(outgoing.req.method === 'HEAD' ? undefined : body);
  return ALREADY_SENT;
}
