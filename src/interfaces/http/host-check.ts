/**
 * Is the request meant for this server, and does it come from a page that may call it? Stops a web page from reaching a server on this
 * machine by a name that suddenly resolves here (DNS rebinding), and pages of other sites from calling it at all (T8.2).
 *
 * Invariant: looked at before anything else of a request; what is not named is refused.
 */
import { isIP } from 'node:net';
import { Fault } from '../../kernel/errors.js';
import { isLoopback, type Settings } from './settings.js';

export type HostCheck = (headers: Headers) => void;

export function hostCheck({ host, allowedHosts, allowedOrigins }: Settings, port: number): HostCheck {
  const own = new Set([...ownNames(host), ...allowedHosts.filter((name) => !hasPort(name))].flatMap((name) => withPort(name, port)));
  for (const name of allowedHosts) own.add(name.toLowerCase());
  const origins = new Set([...own].flatMap((each) => [`http://${each}`]));
  // Behind a proxy that ends TLS the page's own origin is https, of a name that was allowed.
  for (const name of allowedHosts) origins.add(`https://${name.toLowerCase()}`);
  for (const origin of allowedOrigins) origins.add(origin.toLowerCase());
  return (headers) => {
    const named = headers.get('host');
    if (named === null || !own.has(named.toLowerCase())) throw new Fault('access/foreign-host', { header: 'Host' });
    const origin = headers.get('origin');
    if (origin !== null && !origins.has(origin.toLowerCase())) throw new Fault('access/foreign-host', { header: 'Origin' });
  };
}

function ownNames(host: string): readonly string[] {
  if (isLoopback(host)) return ['localhost', '127.0.0.1', '[::1]', bracketed(host)];
  // All addresses: which of them it is reached by is for `--allow-host` to say.
  return host === '0.0.0.0' || host === '::' ? [] : [bracketed(host)];
}

function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host.toLowerCase();
}

function hasPort(name: string): boolean {
  return /[^:\]]:\d+$|\]:\d+$/.test(name);
}

/** The default port is not written. */
function withPort(name: string, port: number): readonly string[] {
  return port === 80 ? [name.toLowerCase(), `${name.toLowerCase()}:80`] : [`${name.toLowerCase()}:${port}`];
}
