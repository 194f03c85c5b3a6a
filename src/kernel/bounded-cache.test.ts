import { describe, expect, it } from 'vitest';
import { BoundedCache } from './bounded-cache.js';

describe('BoundedCache', () => {
  it('makes a value once while there is room', () => {
    const cache = new BoundedCache<string, string>(10);
    let made = 0;
    const ask = (key: string) => cache.get(key, () => `${key}${++made}`);
    expect([ask('a'), ask('b'), ask('a')]).toEqual(['a1', 'b2', 'a1']);
  });

  it('lets go of what was not asked for lately, and never holds more than its budget', () => {
    const cache = new BoundedCache<number, number>(100, () => 10);
    let made = 0;
    const ask = (key: number) => cache.get(key, () => ++made);
    for (let key = 0; key < 40; key += 1) {
      ask(-1);
      ask(key);
    }
    const before = made;
    expect(ask(-1)).toBe(1);
    for (let key = 0; key < 40; key += 1) ask(key);
    expect(made - before).toBeGreaterThanOrEqual(30);
  });

  it('does not keep that there was nothing', () => {
    const cache = new BoundedCache<string, string | undefined>(10);
    expect(cache.get('a', () => undefined)).toBeUndefined();
    expect(cache.get('a', () => 'later')).toBe('later');
  });
});
