/**
 * How much memory a thread that indexes may take.
 *
 * The engine lets a heap grow with its limit before it collects: under this one a large library is indexed in a fifth less memory at
 * the same speed. The largest document that is taken in, made of headings alone, needs less.
 */
import type { ResourceLimits } from 'node:worker_threads';

export const THREAD_MEMORY: ResourceLimits = {
  maxOldGenerationSizeMb: 1024,
  // Pages are made of short-lived strings: with room for a few megabytes of them, most are gone before they are copied.
  maxYoungGenerationSizeMb: 32,
};
