/**
 * The verbs. A new one is one file here and one line below.
 *
 * Only the verb that was asked for is loaded; help loads them all.
 */
import type { RegisterCommand } from '../cli.js';

export interface CommandEntry {
  readonly verb: string;
  readonly load: () => Promise<RegisterCommand>;
}

/** In the order help shows them. */
export const COMMANDS: readonly CommandEntry[] = [
  { verb: 'ask', load: async () => (await import('./context.js')).askCommand },
  { verb: 'search', load: async () => (await import('./search.js')).searchCommand },
  { verb: 'get', load: async () => (await import('./get.js')).getCommand },
  { verb: 'context', load: async () => (await import('./context.js')).contextCommand },
  { verb: 'why', load: async () => (await import('./why.js')).whyCommand },
  { verb: 'why-not', load: async () => (await import('./why.js')).whyNotCommand },
  { verb: 'package', load: async () => (await import('./package-ledger.js')).packageCommand },
  { verb: 'citations', load: async () => (await import('./citations.js')).citationsCommand },
  { verb: 'gate', load: async () => (await import('./gate.js')).gateCommand },
  { verb: 'approve', load: async () => (await import('./approve.js')).approveCommand },
  { verb: 'approval', load: async () => (await import('./approve.js')).approvalCommand },
  { verb: 'source', load: async () => (await import('./source.js')).sourceCommand },
  { verb: 'page', load: async () => (await import('./page.js')).pageCommand },
  { verb: 'policy', load: async () => (await import('./policy.js')).policyCommand },
  { verb: 'vocabulary', load: async () => (await import('./vocabulary.js')).vocabularyCommand },
  { verb: 'models', load: async () => (await import('./models.js')).modelsCommand },
  { verb: 'index', load: async () => (await import('./index-sources.js')).indexCommand },
  { verb: 'init', load: async () => (await import('./init.js')).initCommand },
  { verb: 'status', load: async () => (await import('./status.js')).statusCommand },
  { verb: 'doctor', load: async () => (await import('./doctor.js')).doctorCommand },
  { verb: 'connect', load: async () => (await import('./connect.js')).connectCommand },
  { verb: 'mcp', load: async () => (await import('./mcp.js')).mcpCommand },
  { verb: 'serve', load: async () => (await import('./serve.js')).serveCommand },
  { verb: 'token', load: async () => (await import('./token.js')).tokenCommand },
  { verb: 'audit', load: async () => (await import('./audit.js')).auditCommand },
  { verb: 'hook', load: async () => (await import('./hook.js')).hookCommand },
  { verb: 'eval', load: async () => (await import('./eval.js')).evalCommand },
  { verb: 'completion', load: async () => (await import('./completion.js')).completionCommand },
];
