/**
 * eval ablate: which stages of the ranking earn their place on your own documents, and which numbers would serve them better.
 *
 * Invariant: defaults are not changed; what is found is a proposal in a file, with the evidence for it (EVL-11).
 * Invariant: everything but processor time is the same for two runs of one version on one set.
 */
import { z } from 'zod';
import { isCircular, isClearGain, type Judgement, judge, type Trial, VERDICTS } from '../../evaluation/ablation.js';
import { mean } from '../../evaluation/bootstrap.js';
import type { Question } from '../../evaluation/question.js';
import { STAGES, type Variant, variantsOf } from '../../evaluation/variants.js';
import { digestOf } from '../../kernel/digest.js';
import { type Parts, partsOf, tuningSplit } from '../evaluation/parts.js';
import { type EvalSurroundings, type LabelledSet, openLabelledSet } from '../evaluation/set.js';
import { type Measured, measureUnder, type Under } from '../evaluation/trials.js';
import { writeWhole } from '../write-whole.js';
import { operation } from './catalogue.js';
import { whichParts, whichSet } from './eval-run.js';
import { answer } from './wire.js';

const input = z.object({
  ...whichSet,
  ...whichParts,
  out: z.string().min(1).optional().describe('File for the delta: what is proposed, and what every stage is worth here.'),
});
type AblateInput = z.output<typeof input>;

const difference = z.object({
  pairs: z.int(),
  mean: z.number(),
  ci95: z.object({ low: z.number(), high: z.number() }),
  significant: z.boolean(),
});

const trial = z.object({
  stage: z.string(),
  says: z.string(),
  setting: z.string(),
  from: z.unknown(),
  to: z.unknown(),
  off: z.boolean(),
  measure: z.enum(['nDCG@10', 'goldInPackage']),
  verdict: z.enum(VERDICTS),
  dev: difference,
  heldOut: difference.optional(),
  better: z.int(),
  worse: z.int(),
});

const proposal = z.object({ setting: z.string(), from: z.unknown(), to: z.unknown(), stage: z.string() });

const output = answer('eval-ablate', {
  set: z.string(),
  questionsDigest: z.string(),
  policy: z.object({ version: z.string(), digest: z.string() }),
  dev: z.object({ questions: z.int(), 'nDCG@10': z.number(), goldInPackage: z.number() }),
  heldOut: z.object({ questions: z.int() }),
  trials: z.array(trial),
  proposed: z.array(proposal),
  /** Digest of everything above; processor time is not in it. */
  reportDigest: z.string(),
  /** Setting → processor time beside that of the policy as it is. */
  cpuRatios: z.array(z.object({ setting: z.string(), to: z.unknown(), ratio: z.number() })),
});
export type AblateAnswer = z.output<typeof output>;

export const evalAblate = operation({
  name: 'eval ablate',
  summary: 'Turn each stage of the ranking off and vary it, on your own labelled set; proposes a change only where the gain is clear.',
  authority: 'operate',
  surfaces: ['cli', 'library'],
  input,
  output,
  run: (request, call) => ablate(request, call),
});

interface Tried {
  readonly variant: Variant;
  readonly judgement: Judgement;
  readonly cpuRatio: number;
}

export async function ablate(request: AblateInput, surroundings: EvalSurroundings): Promise<AblateAnswer> {
  const set = await openLabelledSet({ ...request, split: await tuningSplit(request) }, surroundings);
  try {
    const { dev, heldOut } = await partsOf(set, request);
    const { ranking, sources, vocabularyFile } = set.library.config;
    const variants = variantsOf(ranking, sources[0]?.stemming ?? 1, vocabularyFile !== undefined);
    const base = await bases(set, dev, heldOut, surroundings);
    const tried: Tried[] = [];
    for (const variant of variants) {
      const found = await tryOne(set, variant, { dev, heldOut, base, tries: variants.length }, surroundings);
      if (found !== undefined) tried.push(found);
      surroundings.progress({
        phase: 'trying',
        done: tried.length,
        total: variants.length,
        note: `${variant.setting} ${String(variant.to)}`,
      });
    }
    const canonical = {
      schema: 'colophon/eval-ablate@1' as const,
      problems: [],
      set: set.name,
      questionsDigest: set.questionsDigest,
      policy: { version: ranking.version, digest: digestOf(ranking) },
      dev: {
        questions: dev.length,
        'nDCG@10': rounded(mean([...base.ranking.dev.figures.values()])),
        goldInPackage: rounded(mean([...base.delivery.dev.figures.values()])),
      },
      heldOut: { questions: heldOut.length },
      trials: tried.map(row),
      proposed: proposalsOf(tried),
    };
    const cpuRatios = tried.map(({ variant, cpuRatio }) => ({
      setting: variant.setting,
      to: variant.to,
      ratio: Math.round(cpuRatio * 100) / 100,
    }));
    const report = { ...canonical, reportDigest: digestOf(canonical), cpuRatios };
    if (request.out !== undefined) await writeWhole(request.out, deltaText(report));
    return report;
  } finally {
    await set.close();
  }
}

interface Bases {
  readonly ranking: { readonly dev: Measured; readonly heldOut: Measured };
  readonly delivery: { readonly dev: Measured; readonly heldOut: Measured };
}

/** Asked once before it counts, so that no trial is compared with a cold start. */
async function bases(
  set: LabelledSet,
  dev: readonly Question[],
  heldOut: readonly Question[],
  { signal }: EvalSurroundings,
): Promise<Bases> {
  const under = { policy: set.library.config.ranking };
  await measureUnder(set, dev, 'ranking', under, signal);
  const both = async (judged: 'ranking' | 'delivery') => ({
    heldOut: await measureUnder(set, heldOut, judged, under, signal),
    dev: await measureUnder(set, dev, judged, under, signal),
  });
  return { ranking: await both('ranking'), delivery: await both('delivery') };
}

interface Grounds extends Parts {
  readonly base: Bases;
  readonly tries: number;
}

async function tryOne(
  set: LabelledSet,
  variant: Variant,
  { dev, heldOut, base, tries }: Grounds,
  { signal }: EvalSurroundings,
): Promise<Tried | undefined> {
  const under = { policy: variant.policy, ...(variant.stemming === undefined ? {} : { stemming: variant.stemming }) };
  const measured = await measureUnder(set, dev, variant.judged, under, signal);
  const known = base[variant.judged];
  const circular = isCircular(
    variant.stage,
    dev.map((each) => each.class),
  );
  const first: Trial = {
    isCircular: circular,
    dev: { base: known.dev.figures, variant: measured.figures },
    cpuRatio: measured.cpuMs / Math.max(1, known.dev.cpuMs),
  };
  const isClear = isClearGain(first, tries);
  const confirmed = isClear ? await measureUnder(set, heldOut, variant.judged, under, signal) : undefined;
  const cpuRatio = isClear ? await steadyRatio(set, dev, variant.judged, under, signal) : first.cpuRatio;
  const trialOf: Trial =
    confirmed === undefined ? first : { ...first, cpuRatio, heldOut: { base: known.heldOut.figures, variant: confirmed.figures } };
  const judgement = judge(variant, trialOf, tries);
  return judgement === undefined ? undefined : { variant, judgement, cpuRatio };
}

/** One measurement of time is noise; the least of several in turn is not. */
async function steadyRatio(
  set: LabelledSet,
  dev: readonly Question[],
  judged: Variant['judged'],
  under: Under,
  signal: AbortSignal,
): Promise<number> {
  const least = { base: Number.POSITIVE_INFINITY, variant: Number.POSITIVE_INFINITY };
  for (let round = 0; round < 3; round += 1) {
    const asItIs = await measureUnder(set, dev, judged, { policy: set.library.config.ranking }, signal);
    const other = await measureUnder(set, dev, judged, under, signal);
    least.base = Math.min(least.base, asItIs.cpuMs);
    least.variant = Math.min(least.variant, other.cpuMs);
  }
  return least.variant / Math.max(1, least.base);
}

function row({ variant, judgement }: Tried): AblateAnswer['trials'][number] {
  const { stage, setting, from, to, off, judged } = variant;
  const plain = ({ mean: by, ci95, ...rest }: Judgement['dev']) => ({
    ...rest,
    mean: rounded(by),
    ci95: { low: rounded(ci95.low), high: rounded(ci95.high) },
  });
  return {
    stage,
    says: STAGES[stage],
    setting,
    from,
    to,
    off,
    measure: judged === 'ranking' ? 'nDCG@10' : 'goldInPackage',
    verdict: judgement.verdict,
    dev: plain(judgement.dev),
    ...(judgement.heldOut === undefined ? {} : { heldOut: plain(judgement.heldOut) }),
    better: judgement.better,
    worse: judgement.worse,
  };
}

/** One value a setting: the one with the greatest gain. */
function proposalsOf(tried: readonly Tried[]): AblateAnswer['proposed'] {
  const best = new Map<string, Tried>();
  for (const each of tried.filter(({ judgement }) => judgement.verdict === 'proposed')) {
    const known = best.get(each.variant.setting);
    if (known === undefined || each.judgement.dev.mean > known.judgement.dev.mean) best.set(each.variant.setting, each);
  }
  return [...best.values()].map(({ variant: { setting, from, to, stage } }) => ({ setting, from, to, stage }));
}

function deltaText({ schema: _, problems: __, cpuRatios, ...report }: AblateAnswer): string {
  return `${JSON.stringify({ schema: 'colophon/policy-delta@1', ...report, cpuRatios }, undefined, 2)}\n`;
}

function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
