/**
 * The tool policy: which tools could carry text out of a conversation. Declared data, versioned as one value (INJ-08).
 *
 * Invariant: a tool that no rule names counts as capable; the first rule that names it decides.
 */
export const TOOL_REACHES = ['capable', 'contained'] as const;
/** `capable`: could send what the agent has read to somebody. `contained`: could not, by itself. */
export type ToolReach = (typeof TOOL_REACHES)[number];

export interface ToolRule {
  /** A name, or the beginning of names when it ends in `*`. */
  readonly tool: string;
  readonly reach: ToolReach;
}

export interface ToolPolicy {
  readonly version: string;
  /** The first that matches decides. */
  readonly rules: readonly ToolRule[];
  /** Tools whose answers bring strangers' text into the conversation: a call of one taints it from then on. */
  readonly taints: readonly string[];
  /** Tools that bring such text only where the library holds any: its own. */
  readonly libraryTools: readonly string[];
  /** Tools that read what their destination names: a page of a registered source is known by its place. */
  readonly fileReaders: readonly string[];
  /** Path segments of files that arm or disarm a client: whoever writes there is capable, whatever the tool. */
  readonly controlFiles: readonly string[];
  readonly approval: {
    /** How long one lasts unless the person says otherwise, and at most. */
    readonly defaultMs: number;
    readonly longestMs: number;
    readonly defaultUses: number;
    readonly mostUses: number;
  };
  /** Where a client can ask its user: is that answer enough, or must the approval be recorded here? */
  readonly confirm: 'client' | 'recorded';
}

const MINUTE_MS = 60_000;

const capable = (...tools: readonly string[]): readonly ToolRule[] => tools.map((tool) => ({ tool, reach: 'capable' }));
const contained = (...tools: readonly string[]): readonly ToolRule[] => tools.map((tool) => ({ tool, reach: 'contained' }));

/** The tools of Claude Code, November 2026. What is not here is capable too; it is written down to be read. */
export const DEFAULT_TOOL_POLICY: ToolPolicy = {
  version: 'tools@1',
  rules: [
    ...contained('mcp__colophon__kb_*'),
    ...capable(
      'mcp__*',
      'WebFetch',
      'WebSearch',
      'Bash',
      'PowerShell',
      'SlashCommand',
      'Skill',
      'RemoteTrigger',
      'SendMessage',
      'CronCreate',
    ),
    // A subagent works in the same session, and each of its calls comes through the gate itself.
    ...contained('Agent', 'Task', 'TaskCreate', 'TaskGet', 'TaskList', 'TaskUpdate', 'TaskOutput', 'TaskStop', 'TodoWrite'),
    ...contained('Read', 'Glob', 'Grep', 'LS', 'NotebookRead', 'LSP', 'BashOutput', 'KillShell', 'ToolSearch'),
    ...contained('Edit', 'MultiEdit', 'Write', 'NotebookEdit'),
    ...contained('AskUserQuestion', 'EnterPlanMode', 'ExitPlanMode'),
  ],
  taints: [],
  libraryTools: ['mcp__colophon__kb_*'],
  fileReaders: ['Read', 'NotebookRead', 'Grep'],
  controlFiles: [
    ...['.claude', '.claude.json', '.mcp.json', '.vscode', '.git', '.gitconfig', '.githooks', '.husky', '.ssh'],
    ...['.colophon', 'colophon.yaml', 'records.db', 'records.db-wal', 'index.db', 'index.db-wal'],
    ...['.bashrc', '.bash_profile', '.profile', '.zshrc', '.zshenv', '.zprofile'],
  ],
  approval: { defaultMs: 15 * MINUTE_MS, longestMs: 24 * 60 * MINUTE_MS, defaultUses: 1, mostUses: 20 },
  confirm: 'client',
};

/** What colophon.yaml may add. A tool named in both lists is capable. */
export interface ToolDeclaration {
  readonly capable?: readonly string[] | undefined;
  readonly contained?: readonly string[] | undefined;
  readonly taints?: readonly string[] | undefined;
  readonly confirm?: ToolPolicy['confirm'] | undefined;
}

export function toolPolicyWith(declared: ToolDeclaration | undefined, base: ToolPolicy = DEFAULT_TOOL_POLICY): ToolPolicy {
  if (declared === undefined) return base;
  return {
    ...base,
    rules: [...capable(...(declared.capable ?? [])), ...contained(...(declared.contained ?? [])), ...base.rules],
    taints: [...(declared.taints ?? []), ...base.taints],
    confirm: declared.confirm ?? base.confirm,
  };
}

/** `destination` is the file that is written, where the tool writes one. */
export function reachOf(policy: ToolPolicy, tool: string, destination: string): ToolReach {
  const rule = policy.rules.find((each) => names(each.tool, tool));
  if (rule === undefined || rule.reach === 'capable') return 'capable';
  return WRITERS.has(tool) && isControlFile(policy, destination) ? 'capable' : 'contained';
}

export function bringsStrangersText(policy: ToolPolicy, tool: string, libraryHoldsAny: boolean): boolean {
  return policy.taints.some((each) => names(each, tool)) || (libraryHoldsAny && policy.libraryTools.some((each) => names(each, tool)));
}

const WRITERS: ReadonlySet<string> = new Set(['Edit', 'MultiEdit', 'Write', 'NotebookEdit']);

/** Compared without case, because some file systems do. A writer that names no file could write any. */
function isControlFile({ controlFiles }: ToolPolicy, path: string): boolean {
  const segments = path.toLowerCase().split(/[\\/]+/);
  return path === '' || controlFiles.some((each) => segments.includes(each));
}

function names(pattern: string, tool: string): boolean {
  return pattern.endsWith('*') ? tool.startsWith(pattern.slice(0, -1)) : tool === pattern;
}
