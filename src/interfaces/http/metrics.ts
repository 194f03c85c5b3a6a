/**
 * Figures of a running server in Prometheus' text format: how many requests of which kind, how long they took, how full it is.
 *
 * Invariant: labels are verbs, statuses and outcomes, all from closed lists: no name, path, query or id (OBS-08).
 */
const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

interface Histogram {
  readonly counts: number[];
  sum: number;
  count: number;
}

/** Why somebody was turned away, or a connection ended before its time. */
const REFUSALS = [
  /** A caller, or an address without a token, asked more often than it may. */
  'caller-rate',
  'address-rate',
  /** So many wait already, or would take so long, or have taken so long. */
  'queue',
  'wait',
  'late',
  /** Too many requests on one connection that were not answered yet. */
  'ahead',
  /** An answer that nobody takes. */
  'unread',
  /** Connections: closed for another, or not let in. */
  'made-room',
  'no-room',
] as const;
export type Refusal = (typeof REFUSALS)[number];

/** Counts by kind alone: whom they met is not in it. */
export class Refusals {
  private readonly counts = new Map<Refusal, number>(REFUSALS.map((each) => [each, 0]));

  readonly add = (why: Refusal): void => {
    this.counts.set(why, (this.counts.get(why) ?? 0) + 1);
  };

  lines(): string[] {
    const name = 'colophon_http_refused_total';
    const help = 'Requests and connections turned away or cut short, by reason.';
    return [...family(name, 'counter', help), ...[...this.counts].map(([why, count]) => `${name}{reason="${why}"} ${count}`)];
  }
}

export interface Gauges {
  readonly running: number;
  readonly queued: number;
  readonly connections: number;
}

export class Metrics {
  private readonly requests = new Map<string, number>();
  private readonly durations = new Map<string, Histogram>();

  observe(route: string, status: number, seconds: number): void {
    const key = `route="${route}",status="${status}"`;
    this.requests.set(key, (this.requests.get(key) ?? 0) + 1);
    const known = this.durations.get(route) ?? { counts: BUCKETS_SECONDS.map(() => 0), sum: 0, count: 0 };
    for (const [at, most] of BUCKETS_SECONDS.entries()) if (seconds <= most) known.counts[at] = (known.counts[at] ?? 0) + 1;
    known.sum += seconds;
    known.count += 1;
    this.durations.set(route, known);
  }

  text({ running, queued, connections }: Gauges, refusals: Refusals): string {
    const { rss, heapUsed } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    return [
      ...family('colophon_http_requests_total', 'counter', 'Requests answered, by route and status.'),
      ...[...this.requests].sort(byKey).map(([labels, value]) => `colophon_http_requests_total{${labels}} ${value}`),
      ...family('colophon_http_request_seconds', 'histogram', 'Time from the arrival of a request to its answer.'),
      ...[...this.durations].sort(byKey).flatMap(([route, histogram]) => histogramLines(route, histogram)),
      ...refusals.lines(),
      ...gauge('colophon_http_requests_running', 'Requests worked on now.', running),
      ...gauge('colophon_http_requests_queued', 'Requests that wait for their turn.', queued),
      ...gauge('colophon_http_connections', 'Open connections.', connections),
      ...family('process_cpu_seconds_total', 'counter', 'Processor time used.'),
      `process_cpu_seconds_total ${(user + system) / 1e6}`,
      ...gauge('process_resident_memory_bytes', 'Memory in use.', rss),
      ...gauge('nodejs_heap_size_used_bytes', 'Of it, objects of the program.', heapUsed),
      '',
    ].join('\n');
  }
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

function family(name: string, type: string, help: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

function gauge(name: string, help: string, value: number): string[] {
  return [...family(name, 'gauge', help), `${name} ${value}`];
}

function histogramLines(route: string, { counts, sum, count }: Histogram): string[] {
  const name = 'colophon_http_request_seconds';
  return [
    ...BUCKETS_SECONDS.map((most, at) => `${name}_bucket{route="${route}",le="${most}"} ${counts[at]}`),
    `${name}_bucket{route="${route}",le="+Inf"} ${count}`,
    `${name}_sum{route="${route}"} ${sum}`,
    `${name}_count{route="${route}"} ${count}`,
  ];
}
