import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../kernel/errors.js';
import { parseVocabulary } from './vocabulary-file.js';
import { VOCABULARY_SCHEMA_FILE, vocabularyJsonSchema } from './vocabulary-json-schema.js';

const FILE = 'vocabulary.yaml';
const read = (...concepts: string[]) => parseVocabulary(`version: 1\nconcepts:\n${concepts.map((each) => `  - ${each}\n`).join('')}`, FILE);
const said = (...concepts: string[]) => read(...concepts).findings.map(({ severity, line, what }) => `${severity} ${line} ${what}`);

const SLO = '{ id: slo, prefLabel: service level objective, altLabels: [SLO, service objective], facet: reliability }';
const GATE = '{ id: gate, prefLabel: sluice gate, broader: [weir] }';
const WEIR = '{ id: weir, prefLabel: weir }';

describe('vocabulary file', () => {
  it('SEM-01 SEM-02 holds labels, facets, relations and replacements, and gives them a version', () => {
    const { vocabulary, findings } = read(SLO, GATE, WEIR, '{ id: target, prefLabel: target, deprecated: true, replacedBy: slo }');
    expect(findings).toEqual([]);
    expect(vocabulary.concepts.map(({ id }) => id)).toEqual(['gate', 'slo', 'target', 'weir']);
    expect(vocabulary.concepts[1]).toMatchObject({ facet: 'reliability', altLabels: ['SLO', 'service objective'] });
    expect(vocabulary.concepts[2]).toMatchObject({ deprecated: true, replacedBy: 'slo' });
  });

  it('SEM-07 the version follows what is said, not how it is written', () => {
    const { version } = read(SLO, WEIR).vocabulary;
    const other =
      '{ prefLabel: service level objective, note: reviewed, id: slo, altLabels: [service objective, SLO], facet: reliability }';
    expect(read(WEIR, other).vocabulary.version).toBe(version);
    expect(read(SLO.replace('SLO', 'S.L.O.'), WEIR).vocabulary.version).not.toBe(version);
  });

  it.each([
    ['an id twice', [SLO, '{ id: slo, prefLabel: other }'], 'error 4 concepts[1].id must be another id; concepts[0] has `slo` already.'],
    [
      'a broader that leads nowhere',
      [GATE, '{ id: weirs, prefLabel: weirs }'],
      'error 3 concepts[0].broader[0] must be the id of a concept, not `weir` (did you mean weirs?).',
    ],
    [
      'a concept related to itself',
      ['{ id: a, prefLabel: alpha, related: [a] }'],
      'error 3 concepts[0].related[0] must be another concept than itself.',
    ],
    [
      'a circle of broader',
      [GATE, '{ id: weir, prefLabel: weir, broader: [gate] }'],
      'error 3 concepts[0].broader must be without a circle: it leads back to this concept.',
    ],
    [
      'a replacement of what stands',
      [`{ id: a, prefLabel: alpha, replacedBy: slo }`, SLO],
      'error 3 concepts[0].replacedBy must be left out, or `deprecated: true` given beside it.',
    ],
    [
      'a replacement that leads nowhere',
      ['{ id: a, prefLabel: alpha, deprecated: true, replacedBy: bb }'],
      'error 3 concepts[0].replacedBy must be the id of a concept, not `bb`.',
    ],
    [
      'a circle of replacements',
      ['{ id: a, prefLabel: alpha, deprecated: true, replacedBy: b }', '{ id: b, prefLabel: beta, deprecated: true, replacedBy: a }'],
      'error 3 concepts[0].replacedBy must be without a circle: it leads back to this concept.',
    ],
    [
      'a deprecated concept that leads nowhere',
      ['{ id: a, prefLabel: alpha, deprecated: true }'],
      'warning 3 concepts[0].deprecated must be given with `replacedBy`, so that its names lead somewhere.',
    ],
    [
      'a name twice',
      ['{ id: a, prefLabel: Alpha, altLabels: [alpha] }'],
      'error 3 concepts[0].altLabels[0] must be another name than “Alpha”, which the concept has already.',
    ],
    [
      'two concepts of one name',
      [WEIR, '{ id: dam, prefLabel: weir }'],
      'error 3 concepts[0].prefLabel must be a name of its own; concept `dam` is called “weir” too.',
    ],
    [
      'SEM-05 a name of two things',
      [SLO, '{ id: sluice-operator, prefLabel: sluice operator, altLabels: [slo] }'],
      'warning 3 concepts[0].altLabels[0] must be the name of one thing: it may mean `slo` or `sluice-operator`, so it is taken for neither.',
    ],
    [
      'a name without letters',
      ['{ id: a, prefLabel: "--" }'],
      'error 3 concepts[0].prefLabel must be a name with letters or digits in it.',
    ],
    ['a name of too many words', ['{ id: a, prefLabel: a b c d e f g h i }'], 'error 3 concepts[0].prefLabel must be at most 8 words.'],
    [
      'a name of small words',
      ['{ id: it, prefLabel: information technology, altLabels: [IT] }'],
      'warning 3 concepts[0].altLabels[0] must be more than small words: every question holds them, so it is never looked for.',
    ],
  ])('names %s, with its line', (_, concepts, finding) => {
    expect(said(...concepts)).toContain(finding);
  });

  it('SEM-04 a deprecated name that its replacement took over is no second thing', () => {
    expect(said(SLO, '{ id: target, prefLabel: SLO, deprecated: true, replacedBy: slo }')).toEqual([]);
  });

  it('finds each of several, in the order of the file', () => {
    expect(said(GATE, '{ id: gate, prefLabel: "?" }').map((each) => each.split(' must')[0])).toEqual([
      'error 3 concepts[0].broader[0]',
      'error 4 concepts[1].id',
      'error 4 concepts[1].prefLabel',
    ]);
  });

  it.each([
    ['{ id: a, prefLabel: alpha, altlabels: [b] }', 'spelled `altLabels`'],
    [`{ id: a, prefLabel: ${'x'.repeat(101)} }`, 'concepts[0].prefLabel must be at most 100'],
    ['{ id: A b, prefLabel: alpha }', 'concepts[0].id must be lower-case letters'],
    ['{ id: a }', 'concepts[0].prefLabel must be given'],
  ])('refuses what is no vocabulary: %s', (concept, words) => {
    try {
      read(concept);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      expect(error.code).toBe('config/invalid');
      expect(error.message).toContain(words);
      expect(error.message).toContain(`${FILE}:3: `);
      return;
    }
    throw new Error('it was accepted');
  });

  it('SEM-01 publishes the schema that checks it', () => {
    expect(readFileSync(VOCABULARY_SCHEMA_FILE, 'utf8')).toBe(vocabularyJsonSchema());
  });
});
