/** Every operation there is. A new verb is one file and one line here. */
import type { Operation } from './catalogue.js';
import { context } from './context.js';
import { evalRun } from './eval-run.js';
import { explain, why, whyNotPage } from './explain.js';
import { get } from './get.js';
import { indexSources } from './index-sources.js';
import { packageList, packageShow, packageVerify } from './package-ledger.js';
import { search } from './search.js';
import { status } from './status.js';

export const OPERATIONS: readonly Operation[] = [
  context,
  evalRun,
  explain,
  get,
  indexSources,
  packageList,
  packageShow,
  packageVerify,
  search,
  status,
  why,
  whyNotPage,
] as unknown as readonly Operation[];
