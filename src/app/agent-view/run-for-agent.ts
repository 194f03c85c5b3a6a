/**
 * Runs an operation for an agent: the same run as everywhere, shown fenced, cited and within a token budget.
 *
 * Invariant: a smaller answer instead of a refused one; what is left out is said with the call that gives it.
 */
import type { z } from 'zod';
import { inertWord } from '../../context/inert.js';
import { NOTICE } from '../../context/preamble.js';
import type { Problem } from '../../domain/problem.js';
import { counted } from '../../kernel/counted.js';
import type { Call, Operation } from '../operations/catalogue.js';
import { context } from '../operations/context.js';
import { explain } from '../operations/explain.js';
import { get } from '../operations/get.js';
import { runOperation } from '../operations/run-operation.js';
import { search } from '../operations/search.js';
import { type StatusAnswer, status } from '../operations/status.js';
import { type AgentView, ANSWER_TOKENS, boundaryFor, fence, type Structured, shown, shrunk } from './agent-view.js';
import { contextView, vouchedAmong } from './context-view.js';
import { nobodyVouched, problemLines, saidProblems } from './inert-facts.js';
import { pageView } from './page-view.js';
import { hitsThatFit, searchView } from './search-view.js';

/** `extra` are problems the surface knows of, such as an index still being built. */
export async function runForAgent(operation: Operation, input: unknown, call: Call, extra: readonly Problem[]): Promise<AgentView> {
  const show = VIEWS.get(operation.name) ?? plain(operation);
  return show(input, call, extra);
}

type Show = (input: unknown, call: Call, extra: readonly Problem[]) => Promise<AgentView>;

/** Types one operation's view; `again` runs it with another input. */
function viewOf<I extends z.ZodType, O extends z.ZodType<{ problems: unknown[] }>>(
  operation: Operation<I, O>,
  view: (
    answer: z.output<O>,
    input: z.output<I>,
    again: (input: z.output<I>) => Promise<z.output<O>>,
    call: Call,
  ) => AgentView | Promise<AgentView>,
  within: (input: z.output<I>) => z.output<I> = (input) => input,
): [string, Show] {
  const show: Show = async (input, call, extra) => {
    const run = async (request: z.output<I>) => {
      const answer = await runOperation(operation, request, call);
      return { ...answer, problems: [...answer.problems, ...extra] };
    };
    // The surface has parsed the input with this operation's own schema.
    const request = within(input as z.output<I>);
    return view(await run(request), request, run, call);
  };
  return [operation.name, show];
}

/** A package stands in both parts of an answer, and its items are described beside it. */
const PACKAGE_TOKENS = 7_500;

const VIEWS: ReadonlyMap<string, Show> = new Map([
  viewOf(search, async (answer, input, again) => {
    const fitting = hitsThatFit(answer, ANSWER_TOKENS);
    // Asked for fewer, the search itself says where to go on.
    return searchView(fitting < answer.hits.length ? await again({ ...input, limit: fitting }) : answer);
  }),
  viewOf(get, (answer) => pageView(answer, ANSWER_TOKENS)),
  viewOf(
    context,
    async (answer, _input, _again, call) => contextView(answer, await vouchedAmong(answer.excluded, call)),
    (input) => ({ ...input, budget: Math.min(input.budget ?? PACKAGE_TOKENS, PACKAGE_TOKENS) }),
  ),
  viewOf(status, statusView),
  viewOf(explain, explainView),
]);

function statusView(answer: StatusAnswer): AgentView {
  const problems = saidProblems(answer.problems, nobodyVouched);
  const structured = shrunk({ ...answer, problems }, ANSWER_TOKENS / 2);
  const sources = answer.sources.slice(0, SOURCES_SHOWN).map(({ id, state, walk, fresh, connector }) => {
    const seen = walk === 'never' ? 'not read yet' : `${walk} walk, ${fresh ? 'fresh' : 'not fresh'}`;
    return `${inertWord(id)} (${connector}): ${state}, ${seen}`;
  });
  const more = answer.sources.length - sources.length;
  const text = [
    `${counted(answer.documents, 'page')}, ${counted(answer.artifacts, 'passage')}${answer.indexing ? ', still being indexed' : ''}.`,
    ...sources,
    ...(more > 0 ? [`and ${counted(more, 'more source')}`] : []),
    ...(answer.integrity.ok ? [] : [`damaged and left out: ${counted(answer.integrity.damaged.length, 'stored text')}.`]),
    ...problemLines(problems),
  ];
  return { structured, text: text.join('\n') };
}

const SOURCES_SHOWN = 20;
/** An explanation quotes titles, paths and first lines of pages of any tier, so the whole of it is data. */
function explainView(answer: z.output<typeof explain.output>): AgentView {
  const problems = saidProblems(answer.problems, nobodyVouched);
  const boundary = boundaryFor([answer]);
  const fenced = fence(shown(answer.text), 'untrusted', boundary);
  const structured = shrunk({ ...answer, problems, notice: NOTICE, text: fenced, untrusted: true }, ANSWER_TOKENS);
  return { structured, text: [`Package ${answer.digest.slice(0, 12)} · ${NOTICE}\n${fenced}`, ...problemLines(problems)].join('\n\n') };
}

/** Any other answer: its fields, and the same as JSON text. */
function plain(operation: Operation): Show {
  return async (input, call, extra) => {
    const answer = (await operation.run(input, call)) as Structured & { readonly problems?: readonly Problem[] };
    const problems = saidProblems([...(answer.problems ?? []), ...extra], nobodyVouched);
    const structured = shrunk({ ...answer, problems }, ANSWER_TOKENS / 2);
    return { structured, text: JSON.stringify(structured) };
  };
}
