/**
 * The package a verb is about: one of the ledger, by name and today's rights, or one in a bundle that somebody holds as a file.
 */
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { z } from 'zod';
import { readBundle } from '../../context/bundle.js';
import type { Bundle, Recording } from '../../context/bundle-schema.js';
import type { ContextPackage } from '../../domain/context-package.js';
import type { Problem } from '../../domain/problem.js';
import { Fault, NO_SUCH_FILE } from '../../kernel/errors.js';
import { answersForAll } from '../answers-for-all.js';
import type { Call } from '../operations/catalogue.js';
import { readPackageNamed } from './access.js';
import { type Recorded, recordedIn, shownBinding } from './annex.js';

export const subjectInput = {
  name: z.string().min(1).default('last').describe('Digest, package id, a prefix of either, or `last`.'),
  bundle: z.string().min(1).optional().describe('File of an exported bundle, instead of a name.'),
};

export type ShownBinding = Omit<ReturnType<typeof shownBinding>, 'manifest'> & { readonly manifest?: string };

export interface PackageSubject {
  readonly entry: ContextPackage;
  readonly bindings: readonly ShownBinding[];
  readonly problems: readonly Problem[];
  /** Of its last binding in the ledger. */
  readonly recorded?: Recorded;
  /** What a bundle brings along. */
  readonly recording?: Recording;
  readonly bundle?: Bundle;
}

export async function readSubject(
  call: Call,
  { name, bundle }: { readonly name: string; readonly bundle?: string | undefined },
): Promise<PackageSubject> {
  if (bundle !== undefined) return subjectIn(await readBundleFile(bundle));
  const { entry, bindings, problems } = await readPackageNamed(call, name);
  const operator = answersForAll(call);
  const last = bindings.at(-1);
  return {
    entry,
    bindings: bindings.map((each) => shownBinding(entry.digest, each, operator)),
    problems,
    ...(last === undefined ? {} : { recorded: recordedIn(last) }),
  };
}

function subjectIn({ entry, bundle }: ReturnType<typeof readBundle>): PackageSubject {
  const { bindings, recording } = bundle.content;
  return {
    entry,
    bundle,
    bindings: bindings.map(({ package: id, attempt, manifest, createdAt, versions }) => ({
      package: id,
      attempt,
      ...(manifest === undefined ? {} : { manifest }),
      createdAt,
      versions: plain(versions),
      annex: {},
    })),
    problems: [],
    ...(recording === null ? {} : { recording }),
  };
}

function plain(versions: Bundle['content']['bindings'][number]['versions']): ShownBinding['versions'] {
  return Object.fromEntries(Object.entries(versions).filter(([, value]) => value !== undefined));
}

/** A package is a few hundred kilobytes at most; whatever is larger is none. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Its folder is one of this machine, and is not told. */
async function readBundleFile(path: string) {
  const file = basename(path);
  try {
    return readBundle(await bundleBytes(path));
  } catch (error) {
    if (error instanceof TypeError) throw notABundle(file, error);
    if (!(error instanceof Fault)) {
      const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      throw new Fault('config/unreadable', { file, reason: reason === 'ENOENT' ? NO_SUCH_FILE : reason }, { cause: error });
    }
    const { digest } = error.data as Partial<Fault<'package/altered'>['data']>;
    if (error.code !== 'package/altered' || digest === undefined) throw error;
    throw digest === 'unreadable' ? notABundle(file, error) : new Fault('bundle/altered', { file, digest }, { cause: error });
  }
}

async function bundleBytes(path: string): Promise<string> {
  const { size } = await stat(path);
  if (size > MOST_BYTES) throw new Fault('config/unreadable', { file: basename(path), reason: 'it is too large to be a bundle' });
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(path));
}

function notABundle(file: string, cause: Error): Fault {
  return new Fault('input/invalid', { field: file, expected: 'a whole file that `colophon package export` wrote' }, { cause });
}
