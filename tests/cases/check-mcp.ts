/** Expectations about a conversation with the stdio server. */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { record } from './case-file.js';
import { brief, type Checks, type Findings, number, strings, verdict } from './check.js';
import type { McpSession, Message, Reply } from './mcp-session.js';
import { list, type Product } from './product.js';
import { allText } from './words.js';

export interface McpSubject {
  readonly product: Product;
  readonly session: McpSession;
  readonly sent: readonly Message[];
  readonly replies: readonly Reply[];
}

const result = (message: Message | undefined): Readonly<Record<string, unknown>> => {
  const value = message?.['result'];
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
};

const reply = (s: McpSubject, method: string): Message | undefined => {
  const id = s.sent.find((message) => message.method === method)?.id;
  return s.replies.find(({ message }) => message.id === id)?.message;
};

const calls = (s: McpSubject): Message[] => {
  const ids = s.sent.filter((message) => message.method === 'tools/call').map(({ id }) => id);
  return s.replies.flatMap(({ message }) => (ids.includes(message.id) ? [message] : []));
};

export const MCP_CHECKS: Checks<McpSubject> = {
  ids: (s, expected) => {
    // Requests of the runner's own have text ids.
    const answered = s.session.messages.flatMap(({ id, method }) => (typeof id === 'number' && method === undefined ? [id] : []));
    const wanted = Array.isArray(expected) ? [...expected].sort() : [];
    return verdict(
      JSON.stringify([...answered].sort()) === JSON.stringify(wanted),
      `answers to ${brief(answered)}, not to ${brief(wanted)}`,
    );
  },
  results: (s, expected) =>
    Object.entries(record(expected, 'results')).flatMap(([id, wanted]) => {
      const message = s.replies.find((each) => String(each.message.id) === id)?.message;
      return judgeResult(message, record(wanted, `results.${id}`)).map((finding) => `request ${id}: ${finding}`);
    }),
  max_ms: (s, expected) =>
    Object.entries(record(expected, 'max_ms')).flatMap(([method, limit]) => {
      const ids = s.sent.filter((message) => message.method === method).map(({ id }) => id);
      const slowest = Math.max(...s.replies.filter(({ message }) => ids.includes(message.id)).map(({ elapsedMs }) => elapsedMs));
      return verdict(slowest <= number(limit), `${method} took ${Math.round(slowest)} ms`);
    }),
  protocol_not: (s, unwanted) => {
    const version = result(reply(s, 'initialize'))['protocolVersion'];
    return verdict(typeof version === 'string' && version !== unwanted, `the server agreed to ${brief(version)}`);
  },
  server_version_equals_cmd: async (s) => {
    const { stdout } = await s.product.workspace.run(process.execPath, [s.product.main, '--version']);
    const version = record(result(reply(s, 'initialize'))['serverInfo'] ?? {}, 'serverInfo')['version'];
    return verdict(
      version === stdout.trim() && stdout.trim() !== '',
      `serverInfo says ${brief(version)}, the command ${brief(stdout.trim())}`,
    );
  },
  tool_name_re: (s, pattern) => {
    const names = toolNames(s);
    return [
      ...verdict(names.length > 0, 'no tools are listed'),
      ...names.flatMap((name) => verdict(new RegExp(String(pattern)).test(name), `tool name ${brief(name)}`)),
    ];
  },
  tool_names_not: (s, unwanted) => toolNames(s).flatMap((name) => verdict(!strings(unwanted).includes(name), `a tool is called ${name}`)),
  max_result_tokens: (s, limit) =>
    calls(s).flatMap((message) => {
      const tokens = countTokens(JSON.stringify(message['result'] ?? message['error']));
      return verdict(tokens <= number(limit), `an answer of ${tokens} tokens`);
    }),
  says_truncated: (s) =>
    calls(s).flatMap((message) => {
      const structured = record(result(message)['structuredContent'] ?? {}, 'structuredContent');
      const marked = structured['truncated'] === true && typeof structured['next'] === 'string';
      return verdict(
        marked,
        `nothing says that the answer was cut, or how to go on: truncated ${brief(structured['truncated'])}, next ${brief(structured['next'])}`,
      );
    }),
  stdout_all_jsonrpc: (s) => [
    ...verdict(!s.session.invalidBytes, 'a line is not UTF-8'),
    ...s.session.lines.flatMap((line) => verdict(isJsonRpc(line), `a line on stdout is no message: ${brief(line)}`)),
    ...verdict(!s.session.lines.some((line) => /[\u2028\u2029]/.test(line)), 'a line separator is written as it is'),
  ],
};

function toolNames(s: McpSubject): string[] {
  return list(result(reply(s, 'tools/list'))['tools']).map(({ name }) => String(name));
}

function judgeResult(message: Message | undefined, wanted: Readonly<Record<string, unknown>>): Findings {
  if (message === undefined) return ['no answer'];
  const isError = message['error'] !== undefined || result(message)['isError'] === true;
  const hits = list(record(result(message)['structuredContent'] ?? {}, 'structuredContent')['hits']).length;
  return Object.entries(wanted).flatMap(([key, value]) => {
    if (key === 'hits') return verdict(hits === value && !isError, `${hits} hits, not ${brief(value)}: ${brief(isError ? message : '')}`);
    if (key === 'hits_at_least') return verdict(hits >= number(value) && !isError, `${hits} hits: ${brief(isError ? message : '')}`);
    if (key === 'is_error') return verdict(isError === value, isError ? 'is an error' : 'is no error');
    if (key === 'mentions')
      return verdict(
        allText(message['error'] ?? message['result']).includes(String(value)),
        `does not mention ${brief(value)}: ${brief(message)}`,
      );
    return [`expectation \`results.${key}\` is not known to the runner`];
  });
}

function isJsonRpc(line: string): boolean {
  try {
    const message: unknown = JSON.parse(line);
    return typeof message === 'object' && message !== null && 'jsonrpc' in message && message.jsonrpc === '2.0';
  } catch {
    // Anything else on stdout is what this check is there to find.
    return false;
  }
}
