/** MCP-05: a header that is meant to narrow narrows, or the request is refused. */
import { expect, it } from 'vitest';
import { narrowingFrom } from './narrowing-headers.js';

const freshness = (value: string) => narrowingFrom(new Headers({ 'Colophon-Freshness-Critical': value }));

it('MCP-05 freshness is true or false, and nothing that somebody could believe to be one of them', () => {
  expect(freshness('true')).toEqual({ freshnessCritical: true });
  expect(freshness('false')).toEqual({ freshnessCritical: false });
  for (const value of ['TRUE', 'True', '1', 'yes', 'on', '0', 'no', 'FALSE', '', 'true;', '"true"', 'true,true'])
    expect(() => freshness(value), value).toThrow(/true or false|given once/);
});
