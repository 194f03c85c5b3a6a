/**
 * How far a run has come, said on stderr: one line that renews itself on a terminal, a line a second or every tenth elsewhere.
 *
 * Invariant: what is shown never goes backwards within a phase, and says how much there is in all as soon as that is known.
 */
import type { Progress } from '../../app/operations/catalogue.js';
import { inertLine, jsonText } from './inert.js';
import type { Terminal } from './terminal.js';

export const PROGRESS_STYLES = ['auto', 'json', 'none'] as const;
export type ProgressStyle = (typeof PROGRESS_STYLES)[number];

const RENEW_MS = 100;
const LINE_MS = 1_000;
/** Runs smaller than this finish before a line could be read. */
const WORTH_TENTHS = 100;

export interface ProgressLine {
  readonly show: (progress: Progress) => void;
  /** Clears the line; call before anything else is said. */
  readonly end: () => void;
}

export function progressLine(terminal: Terminal, style: ProgressStyle, now: () => number): ProgressLine {
  if (style === 'none') return { show: () => undefined, end: () => undefined };
  let phase = '';
  let startedAt = 0;
  let saidAt = 0;
  let saidDone = -1;
  let dirty = false;
  const renewing = terminal.talkIsInteractive && style === 'auto';

  const due = (progress: Progress, at: number): boolean => {
    if (progress.done <= saidDone) return false;
    if (progress.total > 0 && progress.done >= progress.total) return true;
    if (at - saidAt >= (renewing ? RENEW_MS : LINE_MS)) return true;
    return !renewing && progress.total >= WORTH_TENTHS && progress.done - saidDone >= progress.total / 10;
  };

  const show = (progress: Progress): void => {
    const at = now();
    if (progress.phase !== phase) {
      phase = progress.phase;
      startedAt = at;
      saidAt = renewing ? 0 : at;
      saidDone = progress.total >= WORTH_TENTHS && !renewing ? -1 : 0;
    }
    if (!due(progress, at)) return;
    saidAt = at;
    saidDone = progress.done;
    const text =
      style === 'json' ? jsonText({ schema: 'colophon/progress@1', ...progress }) : inertLine(describe(progress, at - startedAt));
    if (!renewing) {
      terminal.say(`${text}\n`);
      return;
    }
    terminal.say(`\r\x1b[2K${terminal.talkColors.dim(text.slice(0, Math.max(20, terminal.width - 1)))}`);
    dirty = true;
  };

  const end = (): void => {
    if (dirty) terminal.say('\r\x1b[2K');
    dirty = false;
  };
  return { show, end };
}

function describe({ phase, done, total, note }: Progress, elapsedMs: number): string {
  const about = note === undefined || note === '' ? '' : `, ${note}`;
  if (total === 0) return `${phase}${done > 0 ? ` ${done}` : ''}${about}`;
  const percent = Math.floor((100 * done) / total);
  const rate = elapsedMs > 500 && done > 0 ? (1000 * done) / elapsedMs : 0;
  // Whoever does the work knows its pace better than the line that shows it.
  const left = about === '' && rate > 0 && done < total ? `, ${Math.round(rate)}/s, ${seconds((total - done) / rate)} left` : about;
  return `${phase} ${done}/${total} (${percent} %${left})`;
}

function seconds(value: number): string {
  const whole = Math.max(1, Math.round(value));
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
