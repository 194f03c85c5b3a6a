/** Every operation there is. A new verb is one file and one line here. */

import { approvalList, approve } from './approve.js';
import { auditQuery, auditVerify } from './audit.js';
import type { Operation } from './catalogue.js';
import { citationsCheck } from './citations-check.js';
import { context } from './context.js';
import { evalAblate } from './eval-ablate.js';
import { evalCalibrate } from './eval-calibrate.js';
import { evalCompare } from './eval-compare.js';
import { evalLabel } from './eval-label.js';
import { evalRun } from './eval-run.js';
import { explain, why, whyNotPage } from './explain.js';
import { gate } from './gate.js';
import { get } from './get.js';
import { indexSources } from './index-sources.js';
import { modelsList } from './models.js';
import { packageExport, packageReplay } from './package-export.js';
import { packageBind, packageList, packageShow } from './package-ledger.js';
import { packageCheck, packageDiff, packageVerify } from './package-verify.js';
import { pageConfirm, pageHistory, pageInvalidate, pageList, pageQuarantine, pageRelease } from './page-moves.js';
import { policyCheck, policyExplain, policyTest } from './policy.js';
import { search } from './search.js';
import {
  sourceActivate,
  sourceAdd,
  sourceApprove,
  sourceDelete,
  sourceResume,
  sourceRetire,
  sourceRevoke,
  sourceSign,
  sourceSuspend,
} from './source-moves.js';
import { sourceHistory, sourceList, sourceProfile, sourceShow } from './source-read.js';
import { status } from './status.js';
import { tokenCreate, tokenList, tokenRevoke } from './token.js';
import { vocabularyCheck, vocabularyShow } from './vocabulary.js';

export const OPERATIONS: readonly Operation[] = [
  approvalList,
  approve,
  auditQuery,
  auditVerify,
  citationsCheck,
  context,
  evalAblate,
  evalCalibrate,
  evalCompare,
  evalLabel,
  evalRun,
  explain,
  gate,
  get,
  indexSources,
  modelsList,
  packageBind,
  packageCheck,
  packageDiff,
  packageExport,
  packageList,
  packageReplay,
  packageShow,
  packageVerify,
  pageConfirm,
  pageHistory,
  pageInvalidate,
  pageList,
  pageQuarantine,
  pageRelease,
  policyCheck,
  policyExplain,
  policyTest,
  search,
  sourceActivate,
  sourceAdd,
  sourceApprove,
  sourceDelete,
  sourceHistory,
  sourceList,
  sourceProfile,
  sourceResume,
  sourceRetire,
  sourceRevoke,
  sourceShow,
  sourceSign,
  sourceSuspend,
  status,
  tokenCreate,
  tokenList,
  tokenRevoke,
  vocabularyCheck,
  vocabularyShow,
  why,
  whyNotPage,
] as unknown as readonly Operation[];
