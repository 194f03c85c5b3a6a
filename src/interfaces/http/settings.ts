/** How a server is set up: where it listens, whose tokens it takes, and how much it lets through. */
import { NO_SERVE_CONFIG, type ServeConfig } from '../../app/configuration/serve-config.js';

export interface Limits {
  readonly bodyBytes: number;
  readonly requestsPerSecond: number;
  /** Requests one caller may make at once after a pause. */
  readonly burst: number;
  /** Requests worked on at the same time. */
  readonly concurrent: number;
  /** Requests that wait for that; more are turned away. */
  readonly queued: number;
  /** For longer than this nobody is let wait: refused at once by the pace of the last requests, or when the time is over. */
  readonly waitMs: number;
  readonly seconds: number;
  /** After the signal to stop, how long requests under way may take. */
  readonly drainSeconds: number;
  readonly connections: number;
  /** Of one address (address-block.ts). A proxy in front is one address. */
  readonly connectionsPerAddress: number;
  /** That answer at the same time; with one the server answers by itself. */
  readonly threads: number;
}

const DEFAULT_LIMITS: Limits = {
  bodyBytes: 1_048_576,
  requestsPerSecond: 50,
  burst: 100,
  concurrent: 8,
  queued: 64,
  waitMs: 250,
  seconds: 30,
  drainSeconds: 10,
  connections: 1_024,
  connectionsPerAddress: 512,
  threads: 1,
};

export interface Settings {
  readonly host: string;
  readonly port: number;
  /** What tokens of issuers must be made for, and what clients ask them for; the address itself unless set. */
  readonly resource?: string;
  /** Names by which the server may be called besides its own address, with their ports where they are not the default one. */
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly issuers: ServeConfig['issuers'];
  /** Requests without a token are the launch identity's: on this machine alone. */
  readonly anonymous: boolean;
  readonly limits: Limits;
}

export interface ServeFlags {
  readonly host?: string;
  readonly port?: number;
  readonly allowHost?: readonly string[];
  readonly allowOrigin?: readonly string[];
  readonly anonymous?: boolean;
}

export const DEFAULT_PORT = 7_350;

export function settingsFrom(flags: ServeFlags, config: ServeConfig = NO_SERVE_CONFIG): Settings {
  return {
    host: flags.host ?? '127.0.0.1',
    port: flags.port ?? DEFAULT_PORT,
    ...(config.resource === undefined ? {} : { resource: config.resource }),
    allowedHosts: [...(flags.allowHost ?? []), ...config.allowedHosts],
    allowedOrigins: [...(flags.allowOrigin ?? []), ...config.allowedOrigins],
    issuers: config.issuers,
    anonymous: flags.anonymous === true,
    limits: { ...DEFAULT_LIMITS, ...config.limits },
  };
}

/** 127.0.0.0/8, ::1 and the name that every system resolves to one of them. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
