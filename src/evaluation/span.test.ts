import { describe, expect, it } from 'vitest';
import { locateSpan } from './span.js';

const segments = [
  { id: 'one', excerpt: '# Kiln\n\nThe kiln is cooled\nby a finger an hour.' },
  { id: 'two', excerpt: 'Never with water.' },
  { id: 'three', excerpt: 'Ash is kept dry.' },
];

describe('spans (K-30)', () => {
  it('are found in the artifact that holds them, wherever its lines are broken', () => {
    expect(locateSpan('The kiln is cooled by a finger', segments)).toEqual({ artifacts: ['one'], apart: false });
  });

  it('are the same label after the page was cut otherwise', () => {
    const [first] = segments;
    const recut = [
      { id: 'x', excerpt: '# Kiln' },
      { id: 'y', excerpt: first?.excerpt.slice(8) ?? '' },
    ];
    expect(locateSpan('The kiln is cooled by a finger', recut)).toEqual({ artifacts: ['y'], apart: false });
  });

  it('that lie over a cut are in all they touch, and said to be apart', () => {
    expect(locateSpan('an hour. Never with', segments)).toEqual({ artifacts: ['one', 'two'], apart: true });
  });

  it('that are not on the page any more are not found, nor are empty ones', () => {
    expect(locateSpan('cooled with water', segments)).toBeUndefined();
    expect(locateSpan('kiln', [])).toBeUndefined();
  });
});
