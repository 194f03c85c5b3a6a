/**
 * One span a request, through the OpenTelemetry API alone: without an SDK in the process it costs next to nothing and goes nowhere.
 *
 * Invariant: attributes are methods, routes and statuses; no content, no query, no name (OBS-05).
 */
import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

const tracer = trace.getTracer('colophon');

export interface Traced {
  readonly method: string;
  readonly route: string;
  readonly request: string;
  readonly headers: Headers;
}

export async function traced({ method, route, request, headers }: Traced, run: () => Promise<Response>): Promise<Response> {
  const parent = propagation.extract(context.active(), headers, {
    get: (from, key) => from.get(key) ?? undefined,
    keys: (from) => [...from.keys()],
  });
  const attributes = { 'http.request.method': method, 'http.route': route, 'colophon.request': request };
  return tracer.startActiveSpan(`${method} ${route}`, { kind: SpanKind.SERVER, attributes }, parent, async (span) => {
    try {
      const response = await run();
      span.setAttribute('http.response.status_code', response.status);
      if (response.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      return response;
    } finally {
      span.end();
    }
  });
}
