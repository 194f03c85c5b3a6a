/** What was measured as a markdown table, and as a chart in SVG. */
import { mebibytes, milliseconds, type Spread } from './figures.js';
import type { CaseResult, Timing } from './measure.js';

export interface Report {
  readonly machine: string;
  readonly corpus: { readonly pages: number; readonly artifacts: number; readonly textBytes: number };
  readonly builds: readonly { readonly name: string; readonly buildMs: number; readonly bytes: number }[];
  readonly cases: readonly CaseResult[];
  readonly notes: readonly string[];
}

export function markdown(report: Report): string {
  const { corpus, builds, cases, notes, machine } = report;
  return [
    `${corpus.artifacts} artifacts of ${corpus.pages} pages, ${mebibytes(corpus.textBytes)} of text. ${machine}`,
    '',
    '| contender | build | size on disk |',
    '|---|---|---|',
    ...builds.map(
      ({ name, buildMs, bytes }) => `| ${name} | ${(buildMs / 1000).toFixed(1)} s | ${bytes === 0 ? 'in memory' : mebibytes(bytes)} |`,
    ),
    '',
    '| case | contender | median ms | p95 ms | its median / Colophon’s |',
    '|---|---|---|---|---|',
    ...cases.flatMap(rowsOf),
    '',
    ...notes.map((note) => `- ${note}`),
    '',
  ].join('\n');
}

function rowsOf({ what, timings, ratio, fastest }: CaseResult): string[] {
  const own = timings[0];
  return timings.map((timing, at) => {
    const against = timing.name === fastest && ratio !== undefined ? spread(ratio) : at === 0 ? '' : times(timing, own);
    return `| ${at === 0 ? what : ''} | ${timing.name} | ${milliseconds(timing.medianMs)} | ${milliseconds(timing.p95Ms)} | ${against} |`;
  });
}

function times(timing: Timing, own: Timing | undefined): string {
  return own === undefined ? '' : (timing.medianMs / own.medianMs).toFixed(1);
}

function spread({ value, low, high }: Spread): string {
  const digits = value < 5 ? 2 : 1;
  return `**${value.toFixed(digits)}** (${low.toFixed(digits)}–${high.toFixed(digits)})`;
}

const ROW = 22;
const LABEL = 330;
const WIDTH = 900;
const COLOURS = ['#2f6f5e', '#9a6a3a', '#6d6d6d', '#a8a8a8', '#c9b458', '#7f8fb0'];

/** Medians as bars on a logarithmic axis, with a thin line up to the 95th percentile. */
export function svg(title: string, cases: readonly CaseResult[]): string {
  const rows = cases.flatMap(({ what, timings }) => timings.map((timing, at) => ({ what: at === 0 ? what : '', timing, at })));
  const every = rows.flatMap(({ timing }) => [timing.medianMs, timing.p95Ms]).filter((value) => value > 0);
  const low = 10 ** Math.floor(Math.log10(Math.min(...every)));
  const high = 10 ** Math.ceil(Math.log10(Math.max(...every)));
  const place = (value: number) => LABEL + ((WIDTH - LABEL - 90) * Math.log(Math.max(value, low) / low)) / Math.log(high / low);
  const height = 70 + rows.length * ROW;
  const ticks: string[] = [];
  for (let value = low; value <= high * 1.001; value *= 10) {
    const x = place(value).toFixed(1);
    ticks.push(`<line x1="${x}" y1="40" x2="${x}" y2="${height - 24}" stroke="#ddd"/>`);
    ticks.push(`<text x="${x}" y="${height - 8}" text-anchor="middle" fill="#555">${Number(value.toPrecision(1))} ms</text>`);
  }
  const bars = rows.flatMap(({ what, timing, at }, row) => {
    const y = 46 + row * ROW;
    const end = place(timing.medianMs);
    return [
      what === '' ? '' : `<text x="8" y="${y + 13}" font-weight="bold">${escaped(what)}</text>`,
      `<text x="${LABEL - 8}" y="${y + 13}" text-anchor="end">${escaped(timing.name)}</text>`,
      `<rect x="${LABEL}" y="${y + 2}" width="${(end - LABEL).toFixed(1)}" height="14" fill="${COLOURS[at % COLOURS.length]}"/>`,
      `<line x1="${end.toFixed(1)}" y1="${y + 9}" x2="${place(timing.p95Ms).toFixed(1)}" y2="${y + 9}" stroke="#333"/>`,
      `<text x="${(place(timing.p95Ms) + 6).toFixed(1)}" y="${y + 13}" fill="#333">${milliseconds(timing.medianMs)}</text>`,
    ];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="12">`,
    `<title>${escaped(title)}</title><rect width="100%" height="100%" fill="#fff"/>`,
    `<text x="8" y="20" font-size="15">${escaped(title)}</text>`,
    ...ticks,
    ...bars.filter((each) => each !== ''),
    '</svg>',
    '',
  ].join('\n');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
