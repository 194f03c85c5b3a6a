/** What every secret scanner must do: find each family in the places it stands, mask nothing else, and give orderly ranges. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { SecretScanner } from '../../src/ports/secret-scanner.js';
import { CLEAN_TEXTS, FAMILIES, sampleOf } from '../support/secret-samples.js';

const SAMPLES = 20;

/** Ways in which a credential stands in a page; `%` is its place. */
const PLACES = [
  'Use `%` here.',
  'key: %',
  '```sh\nexport KEY="%"\n```',
  '| name | % |',
  '{"key": "%", "n": 1}',
  '# Title %\n\nText.',
  '- %\n- other',
];

export function secretScannerContract(name: string, make: () => SecretScanner): void {
  describe(`secret scanner: ${name}`, () => {
    let scanner: SecretScanner;
    beforeAll(() => {
      scanner = make();
    });

    it(`T2.10 finds at least 99 % of ${FAMILIES.length} families × ${SAMPLES} samples, whole`, async () => {
      const missed: string[] = [];
      let count = 0;
      for (const [family, { sample, context }] of Object.entries(Object.fromEntries(FAMILIES))) {
        for (let seed = 0; seed < SAMPLES; seed += 1) {
          const secret = sampleOf(sample, seed);
          const place = context ?? PLACES[seed % PLACES.length] ?? '%';
          const text = `Before.\n\n${place.replace('%', () => secret)}\n\nAfter.`;
          const at = text.indexOf(secret);
          const ranges = await scanner.scan(text);
          count += 1;
          if (!ranges.some(({ start, end }) => start <= at && end >= at + secret.length)) missed.push(`${family} ${seed}`);
        }
      }
      expect(missed.length / count, missed.join(', ')).toBeLessThanOrEqual(0.01);
    });

    it('T2.10 leaves documentation alone', async () => {
      const masked: string[] = [];
      for (const text of CLEAN_TEXTS) {
        for (const { start, end, kind } of await scanner.scan(text)) masked.push(`${kind}: ${text.slice(start, end)}`);
      }
      expect(masked).toEqual([]);
    });

    it('gives ranges in order, without overlap, inside the text', async () => {
      const all = FAMILIES.map(([, { sample, context }]) => (context ?? '%').replace('%', () => sampleOf(sample, 7))).join('\n\n');
      const ranges = await scanner.scan(all);
      let end = 0;
      for (const range of ranges) {
        expect(range.start).toBeGreaterThanOrEqual(end);
        expect(range.end).toBeGreaterThan(range.start);
        expect(range.kind).toMatch(/^[a-z0-9-]+$/);
        end = range.end;
      }
      expect(end).toBeLessThanOrEqual(all.length);
      expect(ranges.length).toBeGreaterThan(FAMILIES.length * 0.9);
    });

    it('is not switched off by the document', async () => {
      const [family] = FAMILIES;
      const secret = sampleOf(family?.[1].sample ?? (() => ''), 1);
      expect(await scanner.scan(`<!-- secretlint-disable -->\n${secret}\n`)).toHaveLength(1);
    });

    it('gives the same answer twice and for texts asked about together', async () => {
      const texts = FAMILIES.slice(0, 8).map(([, { sample, context }]) => (context ?? '%').replace('%', () => sampleOf(sample, 3)));
      const together = await Promise.all(texts.map((text) => scanner.scan(text)));
      for (const [index, text] of texts.entries()) expect(await scanner.scan(text)).toEqual(together[index]);
    });
  });
}
