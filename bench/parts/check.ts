/**
 * The answers that were timed are the right ones: they equal those of the reference store, which holds only what is eligible, so
 * that equality also says that nothing else had a say.
 */
import type { PreparedPage } from '../../src/domain/prepared-page.js';
import { referenceStore } from '../../tests/support/reference-store.js';
import { type Colophon, lexicalQuery } from './colophon.js';
import type { Question } from './contender.js';
import { eligibleGroups, SOURCE } from './pages.js';

/** Throws at the first difference; says how many answers were compared. */
export async function checkAnswers(
  colophon: Colophon,
  eligiblePages: readonly PreparedPage[],
  groups: number,
  questions: readonly Question[],
): Promise<number> {
  const { reader, writer } = referenceStore();
  const upserts = eligiblePages.map((prepared) => ({ prepared }));
  await writer.apply({ source: SOURCE, transformation: 'bench', upserts, removals: [] });
  const snapshot = await reader.snapshot();
  const eligible = eligibleGroups(await snapshot.compartments(), groups);
  let compared = 0;
  for (const question of questions) {
    const expected = (await snapshot.lexical(eligible, lexicalQuery(question.terms))).hits.map(({ artifact, score }) => ({
      artifact,
      score,
    }));
    const actual = (await colophon.answer(question, groups)).map(({ artifact, score }) => ({ artifact, score }));
    if (JSON.stringify(actual) !== JSON.stringify(expected)) {
      throw new Error(`"${question.text}" with ${groups} groups eligible is not answered as the reference store answers it`);
    }
    compared += 1;
  }
  await snapshot.close();
  return compared;
}
