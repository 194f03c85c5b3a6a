/**
 * Runs an operation for an agent: the same run as everywhere, shown fenced, cited and within a token budget.
 *
 * Invariant: a smaller answer instead of a refused one; what is left out is said with the call that gives it.
 */
import type { z } from 'zod';
import { inertWord } from '../../context/inert.js';
import { NOTICE } from '../../context/preamble.js';
import type { Problem } from '../../domain/problem.js';
import type { Call, Operation } from '../operations/catalogue.js';
import { type ContextAnswer, context } from '../operations/context.js';
import { explain } from '../operations/explain.js';
import { get } from '../operations/get.js';
import { search } from '../operations/search.js';
import { type StatusAnswer, status } from '../operations/status.js';
import { type AgentView, ANSWER_TOKENS, problemLines, type Structured, shrunk } from './agent-view.js';
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
  view: (answer: z.output<O>, input: z.output<I>, again: (input: z.output<I>) => Promise<z.output<O>>) => AgentView | Promise<AgentView>,
): [string, Show] {
  const show: Show = async (input, call, extra) => {
    const run = async (request: z.output<I>) => {
      const answer = await operation.run(request, call);
      return { ...answer, problems: [...answer.problems, ...extra] };
    };
    // The surface has parsed the input with this operation's own schema.
    const request = input as z.output<I>;
    return view(await run(request), request, run);
  };
  return [operation.name, show];
}

const VIEWS: ReadonlyMap<string, Show> = new Map([
  viewOf(search, async (answer, input, again) => {
    const fitting = hitsThatFit(answer, ANSWER_TOKENS);
    // Asked for fewer, the search itself says where to go on.
    return searchView(fitting < answer.hits.length ? await again({ ...input, limit: fitting }) : answer);
  }),
  viewOf(get, (answer) => pageView(answer, ANSWER_TOKENS)),
  viewOf(context, contextView),
  viewOf(status, statusView),
  viewOf(explain, (answer) => ({ structured: answer, text: [answer.text, ...problemLines(answer.problems)].join('\n\n') })),
]);

function statusView(answer: StatusAnswer): AgentView {
  const structured = shrunk(answer, ANSWER_TOKENS / 2);
  const sources = answer.sources.slice(0, SOURCES_SHOWN).map(({ id, state, walk, fresh, connector }) => {
    const seen = walk === 'never' ? 'not read yet' : `${walk} walk, ${fresh ? 'fresh' : 'not fresh'}`;
    return `${inertWord(id)} (${connector}): ${state}, ${seen}`;
  });
  const more = answer.sources.length - sources.length;
  const text = [
    `${answer.documents} pages, ${answer.artifacts} passages${answer.indexing ? ', still being indexed' : ''}.`,
    ...sources,
    ...(more > 0 ? [`and ${more} more sources`] : []),
    ...(answer.integrity.ok ? [] : [`${answer.integrity.damaged.length} stored texts are damaged and left out.`]),
    ...problemLines(answer.problems),
  ];
  return { structured, text: text.join('\n') };
}

const SOURCES_SHOWN = 20;
const EXCLUDED_SHOWN = 10;

/** The passages stand once, in `rendered`, where they are fenced; the list beside them says what they are. */
function contextView(answer: ContextAnswer): AgentView {
  const items = answer.items.map(({ excerpt: _excerpt, ...item }) => ({
    ...item,
    citation: `${item.path}:${item.lines.start}-${item.lines.end}`,
  }));
  const left = answer.excluded.length - EXCLUDED_SHOWN;
  const structured = {
    ...answer,
    ...(answer.taint ? { notice: NOTICE } : {}),
    items,
    excluded: answer.excluded.slice(0, EXCLUDED_SHOWN),
    ...(left > 0 ? { excludedMore: left } : {}),
  };
  return {
    structured: shrunk(structured, ANSWER_TOKENS - 2 * answer.budget.used),
    text: [answer.rendered, ...problemLines(answer.problems)].join('\n\n'),
  };
}

/** Any other answer: its fields, and the same as JSON text. */
function plain(operation: Operation): Show {
  return async (input, call, extra) => {
    const answer = (await operation.run(input, call)) as Structured & { readonly problems?: readonly Problem[] };
    const structured = shrunk({ ...answer, problems: [...(answer.problems ?? []), ...extra] }, ANSWER_TOKENS / 2);
    return { structured, text: JSON.stringify(structured) };
  };
}
