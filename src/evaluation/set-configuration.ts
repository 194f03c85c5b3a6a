/**
 * Per-set configuration: what an owner would have told the library about this tree, and nothing else.
 *
 * It may map path globs to a status or a product version. It cannot touch ranking, text or questions, and every report
 * prints it, so that a figure says what it was measured with.
 */
import { z } from 'zod';
import { PAGE_STATUSES } from '../domain/page.js';

export const setConfiguration = z.strictObject({
  paths: z
    .array(
      z
        .strictObject({
          glob: z.string().min(1),
          status: z.enum(PAGE_STATUSES).optional(),
          version: z.string().min(1).optional(),
        })
        .refine((rule) => rule.status !== undefined || rule.version !== undefined, 'needs a status or a version'),
    )
    .default([]),
});

export type SetConfiguration = z.output<typeof setConfiguration>;

export const NO_SET_CONFIGURATION: SetConfiguration = { paths: [] };
