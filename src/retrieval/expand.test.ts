import { describe, expect, it } from 'vitest';
import { DEFAULT_RANKING } from '../domain/ranking-policy.js';
import { type Concept, vocabularyOf } from '../domain/vocabulary.js';
import { expand } from './expand.js';
import { understand } from './understand.js';

const concept = (id: string, prefLabel: string, altLabels: readonly string[] = [], rest: Partial<Concept> = {}): Concept => ({
  id,
  prefLabel,
  altLabels,
  broader: [],
  narrower: [],
  related: [],
  deprecated: false,
  ...rest,
});

const VOCABULARY = vocabularyOf([
  concept('slo', 'service level objective', ['SLO', 'service target']),
  concept('sluice', 'sluice gate', ['penstock', 'SG']),
  concept('guard', 'security guard', ['SG']),
  concept('it', 'information technology', ['IT']),
  concept('weir', 'weir', ['barrage'], { deprecated: true, replacedBy: 'dam' }),
  concept('dam', 'dam', ['river dam']),
  concept('lock', 'lock', [], { deprecated: true }),
  concept('retry', 'retry_backoff', ['backoff']),
]);

const asked = (text: string) => {
  const expansion = expand(understand(text, {}, DEFAULT_RANKING), VOCABULARY, DEFAULT_RANKING);
  if (expansion === undefined) throw new Error('no vocabulary was asked');
  const terms = expansion.query.terms.flatMap(({ surface, alternatives = [] }) =>
    alternatives.length === 0 ? [] : [[surface, ...alternatives.map(({ label }) => label)]],
  );
  return { terms, problems: expansion.problems.map(({ code, message }) => `${code}: ${message}`), note: expansion.note };
};

describe('expand', () => {
  it('IDX-04 gives a name the other names of its concept, those of several words as one', () => {
    expect(asked('what is our SLO').terms).toEqual([['SLO', 'service level objective', 'service target']]);
    expect(asked('repair a penstock').terms).toEqual([['penstock', 'sluice gate']]);
  });

  it('finds a name of several words, inflected too, and widens each of its words by what does not hold it', () => {
    expect(asked('write service level objectives').terms).toEqual([
      ['service', 'SLO'],
      ['level', 'SLO', 'service target'],
      ['objectives', 'SLO', 'service target'],
    ]);
  });

  it('takes the longest name, and none across words that stand between', () => {
    expect(asked('river dam').terms).toEqual([
      ['river', 'dam', 'weir', 'barrage'],
      ['dam', 'weir', 'barrage'],
    ]);
    expect(asked('service of level objective').terms).toEqual([]);
  });

  it('SEM-05 a name of two things changes nothing, and says so', () => {
    const { terms, problems } = asked('where is the SG');
    expect(terms).toEqual([]);
    expect(problems).toEqual([
      'query/ambiguous-name: “SG” may mean “security guard” or “sluice gate”; it was looked for as written and taken for neither.',
    ]);
    // Nor is it looked for in the place of another name of either.
    expect(asked('sluice gate').terms).toEqual([
      ['sluice', 'penstock'],
      ['gate', 'penstock'],
    ]);
  });

  it('SEM-04 an old name leads to what took its place, and says what that is called', () => {
    const { terms, problems } = asked('build a weir');
    expect(terms).toEqual([['weir', 'dam', 'river dam', 'barrage']]);
    expect(problems).toEqual(['query/old-name: “weir” is an old name. Did you mean “dam”? Both were looked for.']);
    expect(asked('open the lock').problems).toEqual([
      'query/old-name: “lock” is an old name, and the vocabulary says of nothing that it took its place.',
    ]);
  });

  it('leaves quoted and required words, and small words that happen to be a name', () => {
    expect(asked('"SLO" +penstock is it').terms).toEqual([]);
    expect(asked('when is it done').terms).toEqual([]);
  });

  it('knows names of code', () => {
    expect(asked('set retry_backoff').terms).toEqual([['retry_backoff', 'backoff']]);
    expect(asked('how long is the backoff').terms).toEqual([['backoff', 'retry_backoff']]);
  });

  it('counts another name for less than the word, and is off without a vocabulary or with a weight of nothing', () => {
    const read = understand('SLO', {}, DEFAULT_RANKING);
    expect(expand(read, undefined, DEFAULT_RANKING)).toBeUndefined();
    expect(expand(read, VOCABULARY, { synonymWeight: 0 })).toBeUndefined();
    expect(expand(read, VOCABULARY, {})).toBeUndefined();
    const weights = expand(read, VOCABULARY, { synonymWeight: 0.5 })?.query.terms[0]?.alternatives?.map(({ weight }) => weight);
    expect(weights).toEqual([0.5, 0.5]);
  });

  describe('narrower things', () => {
    const vocabulary = vocabularyOf([
      concept('valve', 'valve', [], { narrower: ['gate'] }),
      concept('gate', 'sluice gate', ['penstock', 'SG']),
      concept('flap', 'flap', ['SG'], { broader: ['valve'] }),
      concept('tiny', 'wicket', [], { broader: ['gate'] }),
      concept('tap', 'tap', [], { broader: ['valve'], deprecated: true, replacedBy: 'flap' }),
    ]);
    const names = (text: string, narrowerWeight: number) =>
      expand(understand(text, {}, DEFAULT_RANKING), vocabulary, { synonymWeight: 0.5, narrowerWeight })?.query.terms.flatMap(
        ({ alternatives = [] }) => alternatives.map(({ label, weight }) => `${label} ${weight}`),
      );

    it('SEM-01 gives the names of what is one step narrower, whichever side says so, and none that may mean two things', () => {
      expect(names('valve', 0.2)).toEqual(['flap 0.2', 'tap 0.2', 'sluice gate 0.2', 'penstock 0.2']);
      expect(names('penstock', 0.2)).toEqual(['sluice gate 0.5', 'wicket 0.2']);
      expect(names('wicket', 0.2)).toEqual([]);
    });

    it('gives none where the weight is nothing', () => {
      expect(names('valve', 0)).toEqual([]);
    });
  });

  it('does bounded work for a question made of names', () => {
    const many = vocabularyOf(
      Array.from({ length: 40 }, (_, at) =>
        concept(
          `c${at}`,
          `name${at}`,
          Array.from({ length: 12 }, (__, n) => `alias${at}x${n}`),
        ),
      ),
    );
    const read = understand(many.concepts.map(({ prefLabel }) => prefLabel).join(' '), {}, DEFAULT_RANKING);
    const widened = expand(read, many, DEFAULT_RANKING)?.query.terms.flatMap(({ alternatives }) =>
      alternatives === undefined ? [] : [alternatives.length],
    );
    expect(widened).toEqual(Array.from({ length: 8 }, () => 8));
  });
});
