/** What commands that order a move have in common: their options, and how a history of orders is shown. */
import type { Command } from 'commander';
import type { Cli } from './cli.js';
import { inertLine } from './inert.js';
import { wholeNumber } from './scope-options.js';

/** `version`: what `--expect` names. */
export function withOrderOptions(command: Command, version: string): Command {
  return command
    .option('--reason <text>', 'why; kept for good')
    .option('--key <name>', 'names the order: the same one again does nothing more')
    .option('--expect <version>', `${version} this is meant for`, wholeNumber);
}

interface ShownEvent {
  readonly at: string;
  readonly event: string;
  readonly from: string;
  readonly to: string;
  readonly outcome: 'made' | 'refused';
  readonly actor: string;
  readonly reason: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** One line an event, the oldest first. */
export function writeEvents({ terminal }: Pick<Cli, 'terminal'>, events: readonly ShownEvent[]): void {
  for (const { at, event, from, to, outcome, actor, reason, detail } of events) {
    const moved = outcome === 'refused' ? terminal.colors.red('refused') : from === to ? '' : `${from} → ${to}`;
    const said = typeof detail['said'] === 'string' ? `: ${detail['said']}` : reason === '' ? '' : `: ${reason}`;
    terminal.write(`${at.slice(0, 16).replace('T', ' ')}  ${inertLine(event).padEnd(10)} ${moved}  ${inertLine(`${actor}${said}`)}\n`);
  }
}
