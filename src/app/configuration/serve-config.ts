/**
 * What `serve` may hold in colophon.yaml: who signs tokens for this server, under which names it is reached, and how much it lets through.
 *
 * Invariant: only public-key signatures are accepted; an issuer that is limited to tenants can speak for no other.
 */
import { z } from 'zod';

const words = (expected: string) => ({ error: expected });
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'] as const;

/** Keys that come over an open network could be anybody's; on this machine there is no such network. */
const keysUrl = z.url(words('an address')).refine((text) => /^https:\/\/|^http:\/\/(?:127(?:\.\d+){3}|localhost|\[::1\])[:/]/.test(text), {
  error: 'an https address, or one of this machine',
});

const limit = (most: number) => z.int().min(1).max(most).optional();

export const serveFile = z
  .strictObject({
    resource: z.url(words('an address')).optional().describe('The public address: what tokens must be made for.'),
    allow_hosts: z.array(z.string().min(1)).optional().describe('Names it is reached by, such as `kb.example.org`.'),
    allow_origins: z
      .array(z.string().min(1))
      .optional()
      .describe('Origins of web pages that may call it, such as `https://kb.example.org`.'),
    issuers: z
      .array(
        z.strictObject({
          issuer: z.string().min(1).describe('As `iss` of its tokens says it, letter by letter.'),
          jwks: keysUrl.describe('Where its public keys are.'),
          audience: z.string().min(1).optional().describe('What `aud` must be; `resource` unless said.'),
          algorithms: z.array(z.enum(ALGORITHMS)).min(1).default(['RS256', 'PS256', 'ES256', 'EdDSA']),
          subjects: z.record(z.string(), z.string().min(1)).optional().describe('Subject → principal; others go by `prefix`.'),
          prefix: z.string().default('').describe('Put before a subject to make it a principal, e.g. `person:`.'),
          tenants: z.array(z.string().min(1)).min(1).optional().describe('The only tenants its tokens can reach.'),
          client: z.string().min(1).default('unnamed').describe('Where answers to its tokens go.'),
        }),
      )
      .optional(),
    limits: z
      .strictObject({
        requests_per_second: limit(10_000),
        burst: limit(100_000),
        concurrent: limit(256),
        queued: limit(10_000),
        wait_ms: limit(60_000),
        body_bytes: limit(16 * 1_048_576),
        seconds: limit(600),
        connections: limit(65_536),
        connections_per_address: limit(65_536),
        threads: limit(64),
      })
      .optional()
      .describe(
        'For each caller: requests a second and at once. For all: how many at a time, how many wait and how long, how large, how long, how many connections, and of one address, and how many threads answer.',
      ),
  })
  .describe('What `colophon serve` needs to know.');

export interface IssuerConfig {
  readonly issuer: string;
  readonly jwks: string;
  readonly audience?: string;
  readonly algorithms: readonly string[];
  readonly subjects: Readonly<Record<string, string>>;
  readonly prefix: string;
  readonly tenants?: readonly string[];
  readonly client: string;
}

type LimitName =
  | 'requestsPerSecond'
  | 'burst'
  | 'concurrent'
  | 'queued'
  | 'waitMs'
  | 'bodyBytes'
  | 'seconds'
  | 'connections'
  | 'connectionsPerAddress'
  | 'threads';

export interface ServeConfig {
  readonly resource?: string;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly issuers: readonly IssuerConfig[];
  readonly limits: Readonly<Partial<Record<LimitName, number>>>;
}

export const NO_SERVE_CONFIG: ServeConfig = { allowedHosts: [], allowedOrigins: [], issuers: [], limits: {} };

export function serveConfigOf(file: z.output<typeof serveFile> | undefined): ServeConfig {
  if (file === undefined) return NO_SERVE_CONFIG;
  const { resource, allow_hosts = [], allow_origins = [], issuers = [], limits = {} } = file;
  const named = {
    requestsPerSecond: limits.requests_per_second,
    burst: limits.burst,
    concurrent: limits.concurrent,
    queued: limits.queued,
    waitMs: limits.wait_ms,
    bodyBytes: limits.body_bytes,
    seconds: limits.seconds,
    connections: limits.connections,
    connectionsPerAddress: limits.connections_per_address,
    threads: limits.threads,
  };
  return {
    ...(resource === undefined ? {} : { resource }),
    allowedHosts: allow_hosts,
    allowedOrigins: allow_origins,
    issuers: issuers.map(({ audience, tenants, subjects = {}, ...issuer }) => ({
      ...issuer,
      subjects,
      ...(audience === undefined ? {} : { audience }),
      ...(tenants === undefined ? {} : { tenants }),
    })),
    limits: Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined)),
  };
}
