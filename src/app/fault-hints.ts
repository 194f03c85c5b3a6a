/**
 * What to do about a fault, for who has no shell: an agent that calls tools, or a program that sends requests.
 *
 * `Fault.hint` speaks to a person at a terminal. What only whoever runs the library can do is said as theirs.
 *
 * Invariant: what is absent and what is forbidden have one hint.
 */
import type { Fault, FaultCode } from '../kernel/errors.js';

export type RemoteSurface = 'mcp' | 'http';

type Said = string | ((data: Readonly<Record<string, unknown>>) => string);

const HINTS: Readonly<Record<RemoteSurface, Readonly<Partial<Record<FaultCode, Said>>>>> = {
  mcp: {
    'input/invalid': 'The tool’s schema says what each argument takes.',
    'not-found': ({ of }) =>
      of === 'package' ? 'Name it by the digest that kb_context gave, or `last`.' : 'Check the spelling; kb_search lists what you may see.',
    'source/unknown': 'kb_status lists the sources you may read.',
    'artifact/ambiguous': 'Write more of it: kb_get with `segments` shows the whole ids of a page.',
    'access/denied': 'Who asks was fixed when this server was started, and arguments cannot widen it: leave it out.',
    'package/not-usable': 'Compile it again with kb_context.',
    'package/altered': 'Do not use it. Compile it again with kb_context.',
  },
  http: {
    'input/invalid': '/openapi.json says what each address takes.',
    'not-found': ({ of }) => (of === 'package' ? '/v1/package-list shows those there are for you.' : '/v1/search lists what you may see.'),
    'source/unknown': '/v1/status lists the sources you may read.',
    'artifact/ambiguous': 'Write more of it: /v1/get with `segments` shows the whole ids of a page.',
    'access/denied': 'Headers may only narrow what the token holds: leave it out, or ask for another token.',
    'access/role-needed': ({ role }) => `Ask with the token of somebody who bears the role \`${String(role)}\`; the policy names them.`,
    'access/unauthenticated': 'Send `Authorization: Bearer <token>`; whoever runs this server can make you one.',
    'approval/no-person': 'A person gives it at a terminal of their own; no request can.',
    'package/not-usable': 'Compile the context again; /v1/package-check says what changed.',
  },
};

/** Faults of which anybody may read the hint as it stands: it names no command and no file. */
const FOR_ANYBODY: ReadonlySet<FaultCode> = new Set<FaultCode>([
  'page/ambiguous',
  'page/look-alikes',
  'index/begun',
  'index/busy',
  'access/second-check',
  'access/insufficient-scope',
  'limit/too-many-requests',
  'limit/too-large',
  'limit/too-many-headers',
  'limit/too-slow',
  'http/gone',
  'http/no-route',
  'http/method',
  'http/media-type',
  'package/altered',
  'attempt/other-manifest',
]);

export function hintFor({ code, data, hint }: Fault, surface: RemoteSurface): string {
  const own = HINTS[surface][code];
  if (typeof own === 'string') return own;
  if (own !== undefined) return own(data as Readonly<Record<string, unknown>>);
  return FOR_ANYBODY.has(code) ? hint : `For whoever runs this library: ${hint}`;
}
