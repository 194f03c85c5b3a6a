import { expect, it } from 'vitest';
import { FAULT_CODES, Fault } from '../kernel/errors.js';
import { hintFor } from './fault-hints.js';

/** Any field, whatever a fault may hold. */
const anything = new Proxy({}, { get: () => ['x.'] }) as never;

const FOR_A_SHELL = /`colophon |Run the command|--[a-z]|COLOPHON_|colophon\.yaml/;

it.each(FAULT_CODES.flatMap((code) => (['mcp', 'http'] as const).map((surface) => [code, surface] as const)))(
  'the hint of %s over %s names no command, but for whoever can give it',
  (code, surface) => {
    const said = hintFor(new Fault(code, anything), surface);
    const forCaller = said.startsWith('For whoever runs this library: ') ? '' : said;
    expect(forCaller).not.toMatch(FOR_A_SHELL);
    expect(said).toMatch(/\.$/);
  },
);

it('names the tool or the address that helps', () => {
  const absent = new Fault('not-found', { what: 'x.md' });
  expect([hintFor(absent, 'mcp'), hintFor(absent, 'http')]).toEqual([
    'Check the spelling; kb_search lists what you may see.',
    '/v1/search lists what you may see.',
  ]);
  const wrong = new Fault('input/invalid', { field: 'lines', expected: 'a range' });
  expect([hintFor(wrong, 'mcp'), hintFor(wrong, 'http')]).toEqual([
    'The tool’s schema says what each argument takes.',
    '/openapi.json says what each address takes.',
  ]);
});
