import { describe, expect, it } from 'vitest';
import { candidate, retrieved } from '../../tests/support/candidates.js';
import type { QueryTerm, UnderstoodQuery } from '../domain/query.js';
import { gapsOf } from './gaps.js';

const term = (surface: string, content = true): QueryTerm => ({
  kind: 'word',
  surface,
  term: surface,
  weight: 1,
  required: false,
  content,
});
const query: UnderstoodQuery = { text: '', terms: [term('how', false), term('drain'), term('flux')], phrases: [], scope: {} };

describe('CTX-08 gaps', () => {
  it('are the words retrieval says no eligible page holds', () => {
    expect(gapsOf({ query, candidates: [candidate()], unheld: ['flux', 'flux', 'ERR-4012'] })).toEqual(['flux', 'ERR-4012']);
  });

  it('are the content words every candidate lacks, where retrieval did not say', () => {
    const lacking = (...missing: string[]) => candidate({ why: { missing } });
    expect(gapsOf(retrieved([lacking('flux', 'drain', 'how'), lacking('flux', 'how')], { query }))).toEqual(['flux']);
    expect(gapsOf(retrieved([], { query }))).toEqual([]);
  });
});
