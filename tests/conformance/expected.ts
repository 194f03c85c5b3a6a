/** Failures of the conformance suite that are none of the protocol, and why. */

export type Subject = 'product' | 'fixtures';
type Revision = '2026-07-28' | '2025-11-25';

interface Expected {
  readonly subject: Subject;
  readonly revisions: readonly Revision[];
  readonly scenario: string;
  /** These alone; any when absent. */
  readonly checks?: readonly string[];
  readonly why: string;
}

const BOTH: readonly Revision[] = ['2026-07-28', '2025-11-25'];
const THEIRS = 'wants a tool of the suite';
const NONE = (what: string) => `${what} are not offered, and not declared`;
const STATELESS = 'nothing is asked of a client of 2025 versions: requests are answered one by one, without sessions';
const TASKS = 'the extension for tasks is not offered, and not declared';

const of = (subject: Subject, revisions: readonly Revision[], why: string, scenarios: readonly string[]): Expected[] =>
  scenarios.map((scenario) => ({ subject, revisions, scenario, why }));

const TASK_SCENARIOS = [
  'tasks-capability-negotiation',
  'tasks-dispatch-and-envelope',
  'tasks-lifecycle',
  'tasks-mrtr-composition',
  'tasks-mrtr-input',
  'tasks-request-headers',
  'tasks-request-state-removal',
  'tasks-required-task-error',
  'tasks-wire-fields',
];
const ASKING = ['tools-call-sampling', 'tools-call-elicitation', 'elicitation-sep1034-defaults', 'elicitation-sep1330-enums'];
const SUBSCRIBING = ['resources-subscribe', 'resources-unsubscribe'];

export const EXPECTED: readonly Expected[] = [
  ...of('product', BOTH, THEIRS, [
    'tools-call-simple-text',
    'tools-call-image',
    'tools-call-audio',
    'tools-call-embedded-resource',
    'tools-call-mixed-content',
    'tools-call-error',
    'tools-call-with-progress',
    'json-schema-2020-12',
  ]),
  ...of('product', BOTH, 'wants a resource of the suite', ['resources-read-text', 'resources-read-binary', 'resources-templates-read']),
  ...of('product', BOTH, NONE('prompts'), [
    'prompts-list',
    'prompts-get-simple',
    'prompts-get-with-args',
    'prompts-get-embedded-resource',
    'prompts-get-with-image',
  ]),
  ...of('product', BOTH, NONE('completions'), ['completion-complete']),
  ...of('product', ['2025-11-25'], NONE('log messages'), ['logging-set-level', 'tools-call-with-logging']),
  ...of('product', ['2025-11-25'], STATELESS, ASKING),
  ...of('product', ['2025-11-25'], NONE('subscriptions of resources'), SUBSCRIBING),
  ...of('product', ['2026-07-28'], THEIRS, [
    'http-custom-header-server-validation',
    'input-required-result-basic-elicitation',
    'input-required-result-basic-list-roots',
    'input-required-result-basic-sampling',
    'input-required-result-capability-check',
    'input-required-result-multi-round',
    'input-required-result-multiple-input-requests',
    'input-required-result-non-tool-request',
    'input-required-result-request-state',
    'input-required-result-result-type',
    'input-required-result-tampered-state',
  ]),
  {
    subject: 'product',
    revisions: ['2026-07-28'],
    scenario: 'caching',
    checks: ['sep-2549-prompts-list-caching-hints'],
    why: NONE('prompts'),
  },
  {
    subject: 'product',
    revisions: ['2026-07-28'],
    scenario: 'server-stateless',
    checks: [
      'sep-2575-server-rejects-undeclared-capability',
      'sep-2575-missing-capability-http-400',
      'sep-2575-http-server-no-independent-requests-on-stream',
      'sep-2575-server-no-log-without-loglevel',
    ],
    why: THEIRS,
  },
  ...of('product', ['2026-07-28'], TASKS, TASK_SCENARIOS),
  ...of('fixtures', ['2026-07-28'], TASKS, TASK_SCENARIOS),
  ...of('fixtures', ['2025-11-25'], STATELESS, ASKING),
  ...of('fixtures', ['2025-11-25'], NONE('subscriptions of resources'), SUBSCRIBING),
];
