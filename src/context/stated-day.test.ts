import { describe, expect, it } from 'vitest';
import { statedDay } from './stated-day.js';

describe('stated day', () => {
  it('takes the last change before the first writing', () => {
    expect(statedDay({ created_at: '2016-03-03', updated: '2019-01-31T10:00:00Z' })).toBe('2019-01-31');
    expect(statedDay({ date: '2016-03-03 12:00' })).toBe('2016-03-03');
  });

  it('takes nothing that is not a day', () => {
    for (const date of ['yesterday', '2016-13-01', '2016-00-10', '2016-01-32', '16-01-01', '2016-01-01<script>', ' 2016-01-01']) {
      expect(statedDay({ date })).toBeUndefined();
    }
    expect(statedDay({ date: ['2016-01-01'], tags: 'x' })).toBeUndefined();
    expect(statedDay({})).toBeUndefined();
  });
});
