/**
 * Attempts, as far as packages are bound to them: a caller names its run and what the run is made of; without a name there is one
 * all the same (ATT-01, ATT-06).
 *
 * Invariant: an attempt runs under one manifest; another manifest is another attempt (PKG-03).
 * Invariant: the same package for the same attempt is one binding, however often it is asked for.
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { ContextPackage } from '../../domain/context-package.js';
import { type AttemptOf, isAttemptName, ownerKey } from '../../domain/package-id.js';
import type { Digest } from '../../kernel/digest.js';
import { Fault } from '../../kernel/errors.js';
import type { PackageBinding } from '../../ports/records.js';
import type { Call } from '../operations/catalogue.js';
import { attemptIn, ownedBy } from '../packages/annex.js';

const words = (expected: string) => ({ error: () => expected });

/** What `context` and `package bind` take. */
export const attemptInput = {
  attempt: z
    .string()
    .refine(isAttemptName, words('one printable line of at most 200 characters'))
    .optional()
    .describe('The run this is for, by the name its orchestrator gives it; a retry is a new one.'),
  manifest: z
    .string()
    .refine((text) => /^[0-9a-f]{64}$/.test(text), words('a SHA-256 digest, 64 lower-case hexadecimal digits'))
    .optional()
    .describe('Digest of what the run is made of: model, tools, settings.'),
};

export function attemptOf(input: { readonly attempt?: string | undefined; readonly manifest?: string | undefined }): AttemptOf {
  return {
    attempt: input.attempt ?? `attempt-${randomUUID()}`,
    ...(input.manifest === undefined ? {} : { manifest: input.manifest as Digest }),
  };
}

/** Only the asker's own attempts count: what others run, and under which names, is no business of theirs. */
export async function refuseOtherManifest(call: Call, { attempt, manifest }: AttemptOf): Promise<void> {
  const { packages } = call.library.records;
  for (const { binding } of await packages.bindingsOf(attempt, ownerKey(call.ask.requester))) {
    const bound = attemptIn(binding).manifest;
    if (bound !== manifest) throw new Fault('attempt/other-manifest', { attempt, bound: bound ?? 'none' });
  }
}

/** `named` when the caller gave the attempt its name; one made up for this call cannot be bound already. */
export async function bindPackage(call: Call, entry: ContextPackage, binding: PackageBinding, named: boolean): Promise<void> {
  const { packages } = call.library.records;
  const { manifest } = attemptIn(binding);
  const { tenant, requester } = entry.body.request;
  const owner = ownerKey({ tenant, principal: requester });
  const bound = named ? await packages.bindingsOf(binding.attempt, owner) : [];
  if (bound.some((each) => each.digest === entry.digest && attemptIn(each.binding).manifest === manifest)) return;
  await packages.store(entry, ownedBy(entry.digest, binding, owner));
}
