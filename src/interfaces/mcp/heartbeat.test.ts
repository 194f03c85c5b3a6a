import { expect, it } from 'vitest';
import type { Progress } from '../../app/operations/catalogue.js';
import { heartbeat } from './heartbeat.js';

it('says that work goes on, by the clock and without a count of pages', () => {
  const said: Progress[] = [];
  let at = 1_000;
  const beat = heartbeat(
    (each) => said.push(each),
    () => at,
  );
  for (let done = 0; done < 40; done += 1) {
    beat({ phase: 'reading', done: done * 31, total: 1_500, note: 'page 7 of 1500' });
    at += 50;
  }
  expect(said.map(({ done }) => done)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  expect(new Set(said.map(({ total, phase, note }) => `${total} ${phase} ${note}`))).toEqual(
    new Set(['0 being brought up to date undefined']),
  );
});
