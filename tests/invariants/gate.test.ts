/**
 * T2.7, INJ-07, INJ-08, INJ-09: no tool that could carry text out runs in an attempt that has read strangers' text without a person's
 * approval of exactly that call. Every combination of tool, taint and approval, and random conversations against a model of a few
 * lines. Each mutant of the gate must be found by both.
 */
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Library } from '../../src/app/library.js';
import type { TrustTier } from '../../src/domain/authority.js';
import type { GateDecision } from '../../src/domain/gate.js';
import { DEFAULT_TOOL_POLICY, reachOf, type ToolPolicy, type ToolReach, toolPolicyWith } from '../../src/domain/tool-policy.js';
import type { Instant } from '../../src/kernel/clock.js';
import { sha256 } from '../../src/kernel/digest.js';
import { Fault } from '../../src/kernel/errors.js';
import type { ApprovalLedger } from '../../src/ports/approvals.js';
import { callTool, compile, decided, type GateWorld, gateWorld, type Mutant, ruleOn, type ToolUse } from '../support/gate-world.js';
import { runs } from '../support/proof-scale.js';

const worlds: GateWorld[] = [];
afterAll(async () => {
  for (const world of worlds) await world.dispose();
});
const opened = (mutant?: Mutant): Library => {
  const world = gateWorld(mutant);
  worlds.push(world);
  return world.library;
};

/** Written down here once more, so that a slip in the policy is seen. */
const REACH: Readonly<Record<string, ToolReach>> = {
  WebFetch: 'capable',
  WebSearch: 'capable',
  Bash: 'capable',
  PowerShell: 'capable',
  Skill: 'capable',
  SlashCommand: 'capable',
  mcp__github__create_issue: 'capable',
  mcp__colophon__other: 'capable',
  'mcp__colophon-x__kb_search': 'capable',
  ToolOfTomorrow: 'capable',
  read: 'capable',
  'Read ': 'capable',
  Read2: 'capable',
  ...Object.fromEntries([['constructor', 'capable' as const]]),
  Read: 'contained',
  Grep: 'contained',
  Glob: 'contained',
  LS: 'contained',
  Edit: 'contained',
  Write: 'contained',
  NotebookEdit: 'contained',
  TodoWrite: 'contained',
  Agent: 'contained',
  Task: 'contained',
  AskUserQuestion: 'contained',
  mcp__colophon__kb_search: 'contained',
};
const TOOLS = Object.keys(REACH).filter((tool) => tool.trim() === tool);

const HOUR = 3_600_000;
const START = 1_000 * HOUR;

/** How an attempt came to be, and whether it is tainted then. */
const TAINTS: Readonly<Record<string, { readonly tainted: boolean; readonly make: (library: Library, attempt: string) => Promise<void> }>> =
  {
    nothing: { tainted: false, make: async () => undefined },
    'nothing found': { tainted: false, make: (library, attempt) => compile(library, attempt, []) },
    'own text': { tainted: false, make: (library, attempt) => compile(library, attempt, ['trusted', 'system_verified']) },
    'another attempt’s': { tainted: false, make: (library, attempt) => compile(library, `${attempt}-other`, ['untrusted']) },
    untrusted: { tainted: true, make: (library, attempt) => compile(library, attempt, ['untrusted']) },
    advisory: { tainted: true, make: (library, attempt) => compile(library, attempt, ['advisory']) },
    'one of many': { tainted: true, make: (library, attempt) => compile(library, attempt, ['trusted', 'trusted', 'untrusted', 'trusted']) },
    'tainted, then clean': {
      tainted: true,
      make: async (library, attempt) => {
        await compile(library, attempt, ['untrusted']);
        for (let turn = 0; turn < 3; turn += 1) await compile(library, attempt, ['trusted']);
      },
    },
    'clean, then tainted': {
      tainted: true,
      make: async (library, attempt) => {
        await compile(library, attempt, ['trusted']);
        await compile(library, attempt, ['advisory']);
      },
    },
    'asked the library itself': {
      tainted: true,
      make: async (library, attempt) => {
        await callTool(library, { attempt, tool: 'mcp__colophon__kb_search', destination: 'colophon', payload: '{}' }, START);
      },
    },
  };

const YES = { kind: 'approved', at: START as Instant, expiresAt: (START + HOUR) as Instant, uses: 1 } as const;
const NO = { kind: 'refused', at: START as Instant, expiresAt: (START + HOUR) as Instant, uses: 0 } as const;

type Approving = (library: Library, use: ToolUse) => Promise<void>;
/** Approves another call than `use`: the gate held that one back first. */
const approveInstead =
  (change: (use: ToolUse) => Partial<ToolUse>): Approving =>
  async (library, use) => {
    const other = { ...use, ...change(use) };
    await compile(library, other.attempt, ['untrusted']);
    await decided(library, other, START);
    await ruleOn(library, other, { ...YES, uses: 20 });
  };
const asking: Approving = async (library, use) => void (await decided(library, use, START));
const ruled =
  (...rulings: readonly Parameters<typeof ruleOn>[2][]): Approving =>
  async (library, use) => {
    await asking(library, use);
    for (const each of rulings) await ruleOn(library, use, each);
  };

/** What people said before, and what the gate then says of a capable tool in a tainted attempt, an hour's half later. */
const APPROVALS: Readonly<Record<string, { readonly verdict: GateDecision; readonly taints?: true; readonly say: Approving }>> = {
  'nobody was asked': { verdict: 'ask', say: async () => undefined },
  'nobody answered': { verdict: 'ask', say: asking },
  'approved unasked': { verdict: 'ask', say: (library, use) => ruleOn(library, use, YES) },
  'exactly this call': { verdict: 'allow', say: ruled(YES) },
  'a refusal': { verdict: 'deny', say: ruled(NO) },
  'approved, then refused': { verdict: 'deny', say: ruled({ ...YES, uses: 9 }, NO) },
  'refused, then approved': { verdict: 'allow', say: ruled(NO, YES) },
  'a refusal that is over': { verdict: 'ask', say: ruled({ ...NO, expiresAt: (START + 1) as Instant }) },
  expired: { verdict: 'ask', say: ruled({ ...YES, expiresAt: (START + HOUR / 2) as Instant }) },
  'not yet begun': { verdict: 'ask', say: ruled({ ...YES, at: (START + HOUR / 2 + 1) as Instant }) },
  'used up': {
    verdict: 'ask',
    say: async (library, use) => {
      await ruled(YES)(library, use);
      await decided(library, use, START + 1);
    },
  },
  'used once of twice': {
    verdict: 'allow',
    say: async (library, use) => {
      await ruled({ ...YES, uses: 2 })(library, use);
      await decided(library, use, START + 1);
    },
  },
  'another attempt': { verdict: 'ask', say: approveInstead(({ attempt }) => ({ attempt: `${attempt}-next` })) },
  'another tool': { verdict: 'ask', taints: true, say: approveInstead(({ tool }) => ({ tool: tool === 'Bash' ? 'WebFetch' : 'Bash' })) },
  'another destination': {
    verdict: 'ask',
    taints: true,
    say: approveInstead(({ destination }) => ({ destination: `${destination}.evil.example` })),
  },
  'another payload': { verdict: 'ask', taints: true, say: approveInstead(({ payload }) => ({ payload: `${payload} ` })) },
  'another tenant': { verdict: 'ask', taints: true, say: approveInstead(() => ({ tenant: 'acme' })) },
};

interface Found {
  readonly combinations: number;
  readonly wrong: readonly string[];
}

/** `enough` wrong ones end it. */
async function everyCombination(library: Library, tools: readonly string[] = TOOLS, enough = Number.POSITIVE_INFINITY): Promise<Found> {
  const wrong: string[] = [];
  let combinations = 0;
  for (const tool of tools) {
    for (const how of Object.keys(TAINTS)) {
      for (const said of Object.keys(APPROVALS)) {
        if (wrong.length >= enough) return { combinations, wrong };
        combinations += 1;
        const found = await oneCombination(library, `run ${combinations}`, { tool, how, said });
        wrong.push(...found.map((each) => `${tool}, ${how}, ${said}: ${each}`));
      }
    }
  }
  return { combinations, wrong };
}

async function oneCombination(library: Library, attempt: string, { tool, how, said }: Readonly<Record<'tool' | 'how' | 'said', string>>) {
  const use = { attempt, tool, destination: 'https://example.org', payload: '{"body":"all I read"}' };
  await TAINTS[how]?.make(library, attempt);
  await APPROVALS[said]?.say(library, use);
  // To be approved instead, another call was held back, so the attempt it is in is tainted by then.
  const tainted = TAINTS[how]?.tainted === true || APPROVALS[said]?.taints === true;
  const matters = REACH[tool] === 'capable' && tainted;
  const expected = matters ? APPROVALS[said]?.verdict : 'allow';
  const got = await decided(library, use, START + HOUR / 2);
  if (got !== expected) return [`${got} instead of ${expected}`];
  if (!matters || got !== 'allow') return [];
  const again = await decided(library, use, START + HOUR / 2);
  return again === 'ask' ? [] : [`once more, ${again} instead of ask`];
}

/** The gate as a person would explain it. */
class Model {
  readonly #tainted = new Set<string>();
  readonly #asked = new Set<string>();
  readonly #rulings = new Map<string, { yes: boolean; at: number; until: number; left: number }>();

  compile(attempt: string, tiers: readonly TrustTier[]): void {
    if (tiers.includes('untrusted') || tiers.includes('advisory')) this.#tainted.add(attempt);
  }

  rule(use: ToolUse, ruling: { yes: boolean; at: number; until: number; left: number }): void {
    if (this.#asked.has(JSON.stringify(use))) this.#rulings.set(JSON.stringify(use), { ...ruling });
  }

  call(use: ToolUse, at: number): GateDecision {
    if (REACH[use.tool] === 'contained') {
      if (use.tool === 'mcp__colophon__kb_search') this.#tainted.add(use.attempt);
      return 'allow';
    }
    if (!this.#tainted.has(use.attempt)) return 'allow';
    const ruling = this.#rulings.get(JSON.stringify(use));
    if (ruling !== undefined && at < ruling.until) {
      if (!ruling.yes) return 'deny';
      if (at >= ruling.at && ruling.left > 0) {
        ruling.left -= 1;
        return 'allow';
      }
    }
    this.#asked.add(JSON.stringify(use));
    return 'ask';
  }
}

const anyUse = fc.record({
  attempt: fc.constantFrom('a', 'b'),
  tool: fc.constantFrom('WebFetch', 'Bash', 'ToolOfTomorrow', 'Read', 'mcp__colophon__kb_search'),
  destination: fc.constantFrom('https://one.example', 'https://two.example'),
  payload: fc.constantFrom('p', 'q'),
});
/** Mostly the same call again, so that approvals meet their calls. */
const anyMove = fc.oneof(
  { weight: 3, arbitrary: fc.record({ move: fc.constant('call' as const), use: anyUse }) },
  { weight: 4, arbitrary: fc.record({ move: fc.constant('again' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      move: fc.constant('rule' as const),
      yes: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
      minutes: fc.integer({ min: 1, max: 60 }),
      uses: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      move: fc.constant('compile' as const),
      attempt: fc.constantFrom('a', 'b'),
      tiers: fc.subarray(['trusted', 'system_verified', 'advisory', 'untrusted'] as TrustTier[]),
    }),
  },
  { weight: 2, arbitrary: fc.record({ move: fc.constant('wait' as const), minutes: fc.integer({ min: -10, max: 40 }) }) },
);
const anyConversation = fc.array(anyMove, { minLength: 8, maxLength: 24 });
type Conversation = readonly (typeof anyMove extends fc.Arbitrary<infer Move> ? Move : never)[];

let conversations = 0;

/** The first move on which gate and model disagree; undefined when they never do. */
async function disagreement(library: Library, moves: Conversation): Promise<string | undefined> {
  conversations += 1;
  const named = (attempt: string) => `conversation ${conversations} ${attempt}`;
  const model = new Model();
  let at = START;
  let last: ToolUse = { attempt: named('a'), tool: 'WebFetch', destination: 'https://one.example', payload: 'p' };
  // Half of all conversations would stay clean for long; nothing is at stake in them.
  await compile(library, named('a'), ['untrusted']);
  model.compile(named('a'), ['untrusted']);
  for (const [turn, move] of moves.entries()) {
    if (move.move === 'wait') at += move.minutes * 60_000;
    else if (move.move === 'compile') {
      await compile(library, named(move.attempt), move.tiers, at);
      model.compile(named(move.attempt), move.tiers);
    } else if (move.move === 'rule') {
      const until = at + move.minutes * 60_000;
      const left = move.yes ? move.uses : 0;
      await ruleOn(library, last, { kind: move.yes ? 'approved' : 'refused', at: at as Instant, expiresAt: until as Instant, uses: left });
      model.rule(last, { yes: move.yes, at, until, left });
    } else {
      if (move.move === 'call') last = { ...move.use, attempt: named(move.use.attempt) };
      const got = await decided(library, last, at);
      const expected = model.call(last, at);
      if (got !== expected) return `move ${turn}, ${last.tool}: ${got} instead of ${expected}`;
    }
  }
  return undefined;
}

const withPolicy =
  (change: (policy: ToolPolicy) => ToolPolicy): Mutant =>
  (library) => ({ ...library, config: { ...library.config, gate: change(library.config.gate ?? DEFAULT_TOOL_POLICY) } });
/** A ledger that takes every call for one in which these fields do not matter. */
const blind =
  (blank: Partial<Parameters<ApprovalLedger['settle']>[0]>): Mutant =>
  (library) => {
    const given = new Map<string, Parameters<ApprovalLedger['settle']>[0]>();
    const { approvals } = library.records;
    const settle: ApprovalLedger['settle'] = async (call, shown, at) => {
      const key = JSON.stringify({ ...call, ...blank });
      const first = given.get(key) ?? call;
      const asked = await approvals.settle(call, shown, at);
      if (asked.status !== 'open') return asked;
      given.set(key, first);
      return approvals.settle(first, shown, at);
    };
    return withApprovals(library, { settle });
  };
function withApprovals(library: Library, change: Partial<ApprovalLedger>): Library {
  const { approvals } = library.records;
  const bound: ApprovalLedger = {
    settle: (...given) => approvals.settle(...given),
    rule: (...given) => approvals.rule(...given),
    find: (...given) => approvals.find(...given),
    asked: (...given) => approvals.asked(...given),
    taint: (...given) => approvals.taint(...given),
    taintsOf: (...given) => approvals.taintsOf(...given),
  };
  return { ...library, records: { ...library.records, approvals: { ...bound, ...change } } };
}
function withPackages(library: Library, change: Partial<Library['records']['packages']>): Library {
  const { packages } = library.records;
  const bound: Library['records']['packages'] = {
    store: (...given) => packages.store(...given),
    get: (...given) => packages.get(...given),
    identified: (...given) => packages.identified(...given),
    bindingsOf: (...given) => packages.bindingsOf(...given),
    entries: (...given) => packages.entries(...given),
  };
  return { ...library, records: { ...library.records, packages: { ...bound, ...change } } };
}

const MUTANTS: Readonly<Record<string, Mutant>> = {
  'an unknown tool is let through': withPolicy((policy) => ({ ...policy, rules: [...policy.rules, { tool: '*', reach: 'contained' }] })),
  'a tool that is known to be capable is let through': withPolicy((policy) => ({
    ...policy,
    rules: [{ tool: 'Bash', reach: 'contained' }, ...policy.rules],
  })),
  'the library’s own tools taint nothing': withPolicy((policy) => ({ ...policy, libraryTools: [] })),
  'an approval is not bound to the payload': blind({ payload: sha256('any') }),
  'an approval is not bound to the destination': blind({ destination: '' }),
  'an approval is not bound to the tool': blind({ tool: '' }),
  'an approval is not bound to the attempt': blind({ attempt: '' }),
  'taint is forgotten after a clean turn': (library) =>
    withPackages(library, { bindingsOf: async (attempt) => (await library.records.packages.bindingsOf(attempt)).slice(-1) }),
  'only the first package counts': (library) =>
    withPackages(library, { bindingsOf: async (attempt) => (await library.records.packages.bindingsOf(attempt)).slice(0, 1) }),
  'an approval is never used up': (library) => {
    const standing = new Map<string, Awaited<ReturnType<ApprovalLedger['settle']>>>();
    const settle: ApprovalLedger['settle'] = async (call, shown, at) => {
      const key = JSON.stringify(call);
      const held = standing.get(key);
      if (held?.status === 'approved' && at < held.ruling.expiresAt) return held;
      const fresh = await library.records.approvals.settle(call, shown, at);
      standing.set(key, fresh);
      return fresh;
    };
    return withApprovals(library, { settle });
  },
  'an approval does not expire': (library) =>
    withApprovals(library, {
      rule: (key, ruling) => library.records.approvals.rule(key, { ...ruling, expiresAt: (START * 1_000) as Instant }),
    }),
  'a refusal is no word': (library) =>
    withApprovals(library, {
      rule: async (key, ruling) => (ruling.kind === 'refused' ? true : library.records.approvals.rule(key, ruling)),
    }),
  'an approval that begins later begins at once': (library) =>
    withApprovals(library, { rule: (key, ruling) => library.records.approvals.rule(key, { ...ruling, at: 0 as Instant }) }),
};

describe('T2.7 a capable tool in a tainted attempt', () => {
  it('runs on a person’s approval of exactly this call, and on nothing else: every tool, taint and approval', async () => {
    // Everyday a third of the tools; at full size all.
    const tools = runs(1) > 1 ? TOOLS : TOOLS.filter((_, at) => at % 3 === 0);
    const { combinations, wrong } = await everyCombination(opened(), tools);
    process.stderr.write(`gate: ${combinations} combinations, ${wrong.length} wrong\n`);
    expect(wrong).toEqual([]);
    expect(combinations).toBe(tools.length * Object.keys(TAINTS).length * Object.keys(APPROVALS).length);
  });

  it('in random conversations the gate does what a model of a few lines does', async () => {
    let library = opened();
    let tried = 0;
    await fc.assert(
      fc.asyncProperty(anyConversation, async (moves) => {
        tried += 1;
        if (tried % 500 === 0) library = opened();
        expect(await disagreement(library, moves)).toBeUndefined();
      }),
      { numRuns: runs(500) },
    );
    process.stderr.write(`gate: ${tried} conversations, 0 ungated\n`);
  });

  describe.each(Object.entries(MUTANTS))('mutant: %s', (name, mutant) => {
    it('is found by the combinations', async () => {
      expect((await everyCombination(opened(mutant), ['Bash', 'ToolOfTomorrow'], 1)).wrong).not.toEqual([]);
    });

    it('is found by the conversations', async () => {
      const library = opened(mutant);
      const found = await fc.check(
        fc.asyncProperty(anyConversation, async (moves) => (await disagreement(library, moves)) === undefined),
        { numRuns: 400, endOnFailure: true },
      );
      expect(found.failed, name).toBe(true);
    });
  });
});

describe('INJ-09 what cannot be known counts as tainted', () => {
  const USE = { attempt: 'a', tool: 'WebFetch', destination: 'https://example.org', payload: 'p' };

  it('a package that was altered, lost or written by a newer version', async () => {
    const library = opened();
    await compile(library, 'a', ['trusted']);
    expect(await decided(library, USE, START)).toBe('allow');
    const { packages } = library.records;
    const unreadable: readonly Library['records']['packages']['get'][] = [
      async (digest) => Promise.reject(new Fault('package/altered', { digest })),
      async () => undefined,
      async (digest) => {
        const stored = await packages.get(digest);
        if (stored === undefined) return undefined;
        const body = { ...stored.entry.body, format: 'colophon/package@99' as 'colophon/package@1' };
        return { ...stored, entry: { digest, body } };
      },
    ];
    for (const get of unreadable) {
      const answer = await callTool(withPackages(library, { get }), USE, START);
      expect(answer).toMatchObject({ decision: 'ask', taint: { tainted: true, unreadable: 1, packages: 0 } });
      expect(answer.reason).toContain('cannot be read any more');
    }
    const damaged = withPackages(library, { get: () => Promise.reject(new Fault('store/corrupt', { file: 'records.db', reason: 'x' })) });
    await expect(callTool(damaged, USE, START)).rejects.toMatchObject({ code: 'store/corrupt' });
  });

  it('a package that says so without an item that does', async () => {
    const library = opened();
    await compile(library, 'a', ['untrusted']);
    const { packages } = library.records;
    const get: typeof packages.get = async (digest) => {
      const stored = await packages.get(digest);
      return stored && { ...stored, entry: { digest, body: { ...stored.entry.body, items: [] } } };
    };
    expect(await decided(withPackages(library, { get }), USE, START)).toBe('ask');
  });

  it('a library whose state cannot be written, where nothing could have been recorded or approved', async () => {
    const library = opened();
    const stateFolder = fileURLToPath(new URL('./gate.test.ts/state', import.meta.url));
    const shut = { ...library, config: { ...library.config, stateFolder } };
    const answer = await callTool(shut, USE, START);
    expect(answer).toMatchObject({ decision: 'ask', request: null, taint: { tainted: false } });
    expect(answer.reason).toContain('nothing can be approved');
    expect(await decided(shut, { ...USE, tool: 'Read', destination: '/a' }, START)).toBe('allow');
  });

  it('asks for the payload or its digest, and takes either for the same', async () => {
    const library = opened();
    await compile(library, 'a', ['untrusted']);
    const { request } = await callTool(library, USE, START);
    const { payload: _, ...without } = USE;
    const byDigest = { ...without, payloadDigest: sha256('p') } as unknown as ToolUse;
    expect((await callTool(library, byDigest, START)).request).toBe(request);
    for (const wrong of [without, { ...USE, payloadDigest: sha256('p') }])
      await expect(callTool(library, wrong as ToolUse, START)).rejects.toMatchObject({ code: 'input/invalid' });
  });
});

describe('INJ-08 which tools are capable is declared', () => {
  it('as it is written down here; what is not known is capable', () => {
    for (const [tool, reach] of Object.entries(REACH)) expect(reachOf(DEFAULT_TOOL_POLICY, tool, 'src/a.ts'), tool).toBe(reach);
  });

  it('whoever writes the files that arm a client is capable, on any spelling of their paths', () => {
    const files = ['.claude/settings.json', '/home/u/p/.MCP.json', 'C:\\p\\.git\\hooks\\pre-push', 'colophon.yaml', './a/../.claude/x', ''];
    for (const tool of ['Write', 'Edit', 'MultiEdit', 'NotebookEdit'])
      for (const file of files) expect(reachOf(DEFAULT_TOOL_POLICY, tool, file), `${tool} ${file}`).toBe('capable');
    for (const file of ['src/claude.ts', 'docs/.gitignore', 'my-colophon.yaml'])
      expect(reachOf(DEFAULT_TOOL_POLICY, 'Write', file), file).toBe('contained');
    expect(reachOf(DEFAULT_TOOL_POLICY, 'Read', '.claude/settings.json')).toBe('contained');
  });

  it('a library adds to it; a tool in both lists is capable', () => {
    const policy = toolPolicyWith({ capable: ['Read', 'mcp__db__*'], contained: ['mcp__db__select', 'mcp__clock__*', 'Bash'] });
    const reach = (tool: string) => reachOf(policy, tool, 'a');
    expect(['Read', 'mcp__db__select', 'mcp__clock__now', 'Bash', 'Grep', 'Other'].map(reach)).toEqual([
      'capable',
      'capable',
      'contained',
      'contained',
      'contained',
      'capable',
    ]);
  });
});
