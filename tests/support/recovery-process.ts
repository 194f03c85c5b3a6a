/**
 * Runs in another process, where a disk failed and is whole again: checks both stores, looks for packages, indexes, and indexes once
 * more from nothing elsewhere. Writes one line of JSON, a Recovery.
 *
 * In a process of its own, because SQLite keeps a closed connection until its statements are collected, and then deletes its log by
 * path: in a process that outlives a mounted disk, that is the log of the next disk at the same place.
 *
 *   ROOT FRESH_STATE DIGEST…
 */
import { writeSync } from 'node:fs';
import { learn } from '../../src/app/learning/learn.js';
import type { Digest } from '../../src/kernel/digest.js';
import { openLibrary } from './durable-library.js';

export interface Recovery {
  readonly records: { readonly ok: boolean };
  readonly index: { readonly ok: boolean };
  /** Packages asked for that are not there. */
  readonly lost: readonly string[];
  readonly contentDigest: string;
  readonly freshDigest: string;
}

const [root = '', freshState = '', ...digests] = process.argv.slice(2);
const library = await openLibrary(root);
const records = await library.records.integrity();
const index = await library.reader.integrity();
const lost: string[] = [];
for (const digest of digests) if ((await library.records.packages.get(digest as Digest)) === undefined) lost.push(digest);
const { contentDigest } = await learn(library);
await library.close();
const fresh = await openLibrary(root, undefined, freshState);
const { contentDigest: freshDigest } = await learn(fresh);
await fresh.close();
const recovery: Recovery = { records, index, lost, contentDigest, freshDigest };
writeSync(1, `${JSON.stringify(recovery)}\n`);
