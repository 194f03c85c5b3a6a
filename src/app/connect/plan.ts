/**
 * Works out what connecting or disconnecting a client would do to its files, from their texts alone.
 *
 * Invariant: connecting twice changes nothing the second time.
 * Invariant: undo gives back the exact bytes from before when nobody touched the file since; otherwise it takes out our entry alone.
 */
import { sha256 } from '../../kernel/digest.js';
import type { Wanted } from './clients.js';
import { dropJson, hasJson, missingContainers, putJson, unreadableJson } from './json-entry.js';
import { applyEdits, type Edits, reverseEdits, type TextEdit, type Unreadable } from './text-edit.js';
import { dropToml, hasToml, putToml, unreadableToml } from './toml-entry.js';

/** What was done to one file, kept so that it can be undone. Holds only text that we wrote or replaced. */
export interface Done {
  readonly file: string;
  readonly createdFile: boolean;
  /** Folders made for the file, outermost first. */
  readonly createdFolders: readonly string[];
  readonly createdContainers: readonly (readonly string[])[];
  readonly edits: readonly TextEdit[];
  /** SHA-256 of the file's text after the edits. */
  readonly after: string;
}

export interface FileState {
  /** Undefined when there is no such file. */
  readonly text: string | undefined;
  readonly done: Done | undefined;
}

export type FilePlan =
  | { readonly action: 'none' }
  | {
      readonly action: 'write';
      readonly text: string;
      readonly shown: string;
      readonly done: Omit<Done, 'file' | 'createdFolders'> | undefined;
    }
  | { readonly action: 'delete' }
  | { readonly action: 'refuse'; readonly unreadable: Unreadable };

const BOM = '\uFEFF';

export function planConnect(wanted: Wanted, { text, done }: FileState): FilePlan {
  const bom = text?.startsWith(BOM) ? BOM : '';
  const current = (text ?? '').slice(bom.length);
  const unchanged = put(wanted, current);
  if (!unchanged.ok) return { action: 'refuse', unreadable: unchanged.unreadable };
  if (unchanged.edits.length === 0) return { action: 'none' };

  // An entry of ours that has to change is taken out first, so that one undo leads back to the file without it.
  const previous = done === undefined ? undefined : undone(wanted, current, done);
  const base = previous ?? current;
  const result = put(wanted, base);
  if (!result.ok) return { action: 'refuse', unreadable: result.unreadable };
  const after = applyEdits(base, result.edits);
  return {
    action: 'write',
    text: bom + after,
    shown: result.edits
      .map((each) => each.inserted)
      .join('')
      .trim()
      .replace(/^,\s*/, ''),
    done: {
      createdFile: done?.createdFile ?? text === undefined,
      createdContainers: done?.createdContainers ?? (wanted.format === 'json' ? missingContainers(current, wanted.entry) : []),
      edits: result.edits,
      after: sha256(after),
    },
  };
}

export function planUndo(wanted: Wanted, { text, done }: FileState): FilePlan {
  if (text === undefined) return { action: 'none' };
  const bom = text.startsWith(BOM) ? BOM : '';
  const current = text.slice(bom.length);
  const untouched = done !== undefined && sha256(current) === done.after;
  const readable = wanted.format === 'json' ? unreadableJson(current) : unreadableToml(current);
  if (!readable.ok) return { action: 'refuse', unreadable: readable.unreadable };
  const present = wanted.format === 'json' ? hasJson(current, wanted.entry) : hasToml(current, wanted.entry);
  if (!present) return { action: 'none' };
  if (untouched && done.createdFile) return { action: 'delete' };
  const before = done === undefined ? drop(wanted, current, []) : undone(wanted, current, done);
  if (before === current) {
    return { action: 'refuse', unreadable: { line: 1, reason: 'the colophon entry is written in a form that cannot be taken out alone' } };
  }
  if (done?.createdFile && /^\s*(\{\s*\}\s*)?$/.test(before)) return { action: 'delete' };
  return { action: 'write', text: bom + before, shown: '', done: undefined };
}

function put(wanted: Wanted, text: string): Edits {
  return wanted.format === 'json' ? putJson(text, wanted.entry) : putToml(text, wanted.entry);
}

function drop(wanted: Wanted, text: string, containers: Done['createdContainers']): string {
  return wanted.format === 'json' ? dropJson(text, wanted.entry, containers) : dropToml(text, wanted.entry);
}

function undone(wanted: Wanted, text: string, done: Done): string {
  return sha256(text) === done.after ? applyEdits(text, reverseEdits(done.edits)) : drop(wanted, text, done.createdContainers);
}
