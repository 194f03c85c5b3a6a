/**
 * The tools, prompts and resources that the official conformance suite wants to find on the server under test. They are none of ours:
 * this server exists so that the suite can try our transport and our door with them.
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  completable,
  createRequestStateCodec,
  fromJsonSchema,
  inputRequired,
  McpServer,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { z } from 'zod';

/** One red pixel, and half a thousandth of a second of silence. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const WAV = 'UklGRigAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQQAAAAAAAAA';
const IMAGE = { type: 'image', data: PNG, mimeType: 'image/png' } as const;
const text = (said: string) => ({ type: 'text', text: said }) as const;
const answer = (said: string) => ({ content: [text(said)] });
const pause = (ms = 50) => new Promise((resolve) => setTimeout(resolve, ms));

const states = createRequestStateCodec<{ readonly round: number }>({ key: 'a key that every request of a test run shares' });

export function conformanceServer(): McpServer {
  const server = new McpServer(
    { name: 'colophon-conformance-fixtures', version: '0.0.0' },
    {
      capabilities: { logging: {}, completions: {}, tools: {}, prompts: {}, resources: {} },
      requestState: { verify: (state, ctx) => states.verify(state, ctx) },
    },
  );
  contents(server);
  conversation(server);
  schemas(server);
  rounds(server);
  resources(server);
  prompts(server);
  return server;
}

function contents(server: McpServer): void {
  const fixed = (name: string, content: ReturnType<typeof answer>['content'] | readonly object[]) =>
    server.registerTool(
      name,
      { description: `Returns fixed content: ${name}.` },
      async () => ({ content: [...content] }) as ReturnType<typeof answer>,
    );
  const embedded = (uri: string, mimeType: string, said: string) => ({ type: 'resource', resource: { uri, mimeType, text: said } });
  fixed('test_simple_text', [text('This is a simple text response for testing.')]);
  fixed('test_image_content', [IMAGE]);
  fixed('test_audio_content', [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }]);
  fixed('test_embedded_resource', [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')]);
  fixed('test_multiple_content_types', [
    text('Multiple content types test:'),
    IMAGE,
    embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ]);
  server.registerTool('test_error_handling', { description: 'Always fails.' }, async () => ({
    ...answer('This tool intentionally returns an error for testing'),
    isError: true,
  }));
  server.registerTool(
    'test_custom_headers',
    {
      description: 'Takes an argument that a header repeats.',
      inputSchema: z.object({ region: z.string().optional().meta({ 'x-mcp-header': 'Region' }) }),
    },
    async ({ region }) => answer(`region ${region ?? 'none'}`),
  );
}

function conversation(server: McpServer): void {
  server.registerTool('test_tool_with_logging', { description: 'Logs three times.' }, async (ctx) => {
    for (const said of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await ctx.mcpReq.log('info', said);
      await pause();
    }
    return answer('logged');
  });
  server.registerTool('test_logging_tool', { description: 'Logs where the request asks for it.' }, async (ctx) => {
    await ctx.mcpReq.log('info', 'a line of the log');
    return answer('logged');
  });
  server.registerTool('test_tool_with_progress', { description: 'Tells how far it is.' }, async (ctx) => {
    const progressToken = ctx.mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
      await pause();
    }
    return answer('done');
  });
  server.registerTool('test_missing_capability', { description: 'Needs a client that samples.' }, async (ctx) =>
    ctx.mcpReq.inputResponses === undefined
      ? inputRequired({ inputRequests: { sampled: sample('What is the capital of France?', 100) } })
      : answer('the client samples'),
  );
  server.registerTool('test_streaming_elicitation', { description: 'Asks its question in its result.' }, async (ctx) =>
    ctx.mcpReq.inputResponses === undefined ? inputRequired({ inputRequests: { name: ASK_NAME } }) : answer('answered'),
  );
}

const form = (message: string, property: string, type: 'string' | 'boolean' = 'string') => {
  const asked = type === 'string' ? ({ type: 'string' } as const) : ({ type: 'boolean' } as const);
  return inputRequired.elicit({ message, requestedSchema: { type: 'object', properties: { [property]: asked }, required: [property] } });
};
const ASK_NAME = form('What is your name?', 'name');
const sample = (said: string, maxTokens: number) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: text(said) }], maxTokens });

/** With every keyword that must reach the client as it is. */
function schemas(server: McpServer): void {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: { address: { $anchor: 'addressDef', type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
    properties: {
      name: { type: 'string' },
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: { type: 'string' },
      email: { type: 'string' },
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema, and nothing is awaited.
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  };
  server.registerTool(
    'json_schema_2020_12_tool',
    { description: 'Takes a schema with all the keywords.', inputSchema: fromJsonSchema<object>(schema) },
    async () => answer('read'),
  );
}

type Asked = Parameters<typeof inputRequired>[0]['inputRequests'];

function rounds(server: McpServer): void {
  const ephemeral = (name: string, asks: Asked, done: (given: Readonly<Record<string, unknown>>) => string) =>
    server.registerTool(`test_input_required_result_${name}`, { description: `Asks first: ${name}.` }, async (ctx) => {
      const given = ctx.mcpReq.inputResponses ?? {};
      const missing = Object.keys(asks ?? {}).filter((key) => !isAnswer(given[key]));
      return missing.length > 0 ? inputRequired({ inputRequests: asks ?? {} }) : answer(done(given));
    });
  ephemeral('elicitation', { user_name: ASK_NAME }, (given) => `Hello, ${contentOf(given['user_name'])['name']}!`);
  ephemeral('sampling', { capital_question: sample('What is the capital of France?', 100) }, (given) => JSON.stringify(given));
  ephemeral('list_roots', { client_roots: inputRequired.listRoots() }, (given) => JSON.stringify(given));
  stateful(server, 'request_state', [{ confirm: form('Please confirm', 'ok', 'boolean') }], 'state-ok');
  stateful(server, 'tampered_state', [{ confirm: form('Please confirm', 'ok', 'boolean') }], 'state-ok');
  stateful(
    server,
    'multiple_inputs',
    [{ user_name: ASK_NAME, greeting: sample('Generate a greeting', 50), client_roots: inputRequired.listRoots() }],
    'all given',
  );
  stateful(
    server,
    'multi_round',
    [{ step1: form('Step 1: What is your name?', 'name') }, { step2: form('Step 2: What is your favorite color?', 'color') }],
    'all rounds done',
  );
  server.registerTool(
    'test_input_required_result_capabilities',
    { description: 'Asks for what the client declared, and for nothing else.' },
    async (ctx) => {
      const declared: object = (ctx.mcpReq.envelope as Readonly<Record<string, object>> | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ?? {};
      const may = {
        ...('elicitation' in declared ? { user_name: ASK_NAME } : {}),
        ...('sampling' in declared ? { greeting: sample('Generate a greeting', 50) } : {}),
        ...('roots' in declared ? { client_roots: inputRequired.listRoots() } : {}),
      };
      return Object.keys(may).length === 0 || ctx.mcpReq.inputResponses !== undefined
        ? answer('nothing to ask')
        : inputRequired({ inputRequests: may });
    },
  );
}

/** A question a round, with the state of the conversation sealed and sent along. */
function stateful(server: McpServer, name: string, asks: readonly Asked[], done: string): void {
  server.registerTool(`test_input_required_result_${name}`, { description: `Asks in rounds: ${name}.` }, async (ctx) => {
    const round = ctx.mcpReq.requestState<{ readonly round: number }>()?.round ?? 0;
    const given = ctx.mcpReq.inputResponses ?? {};
    const answered = round > 0 && Object.keys(asks[round - 1] ?? {}).every((key) => isAnswer(given[key]));
    const next = answered ? round : Math.max(0, round - 1);
    const asked = asks[next];
    if (asked === undefined) return answer(done);
    return inputRequired({ inputRequests: asked, requestState: await states.mint({ round: next + 1 }, ctx) });
  });
}

function isAnswer(given: unknown): boolean {
  return typeof given === 'object' && given !== null && ('action' in given || 'content' in given || 'roots' in given);
}

function contentOf(given: unknown): Readonly<Record<string, unknown>> {
  const content = typeof given === 'object' && given !== null && 'content' in given ? given.content : {};
  return typeof content === 'object' && content !== null ? (content as Readonly<Record<string, unknown>>) : {};
}

function resources(server: McpServer): void {
  const described = (mimeType: string) => ({ description: 'A fixed resource of the suite.', mimeType });
  server.registerResource('static-text', 'test://static-text', described('text/plain'), async (uri) => ({
    contents: [{ uri: uri.href, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }],
  }));
  server.registerResource('static-binary', 'test://static-binary', described('image/png'), async (uri) => ({
    contents: [{ uri: uri.href, mimeType: 'image/png', blob: PNG }],
  }));
  server.registerResource('watched', 'test://watched-resource', described('text/plain'), async (uri) => ({
    contents: [{ uri: uri.href, mimeType: 'text/plain', text: 'watched' }],
  }));
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    described('application/json'),
    async (uri, { id }) => ({
      contents: [
        {
          uri: uri.href,
          mimeType: 'application/json',
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
        },
      ],
    }),
  );
}

function prompts(server: McpServer): void {
  const asUser = <C extends object>(...contents: readonly C[]) => ({
    messages: contents.map((content) => ({ role: 'user' as const, content })),
  });
  server.registerPrompt('test_simple_prompt', { description: 'A prompt without arguments.' }, async () =>
    asUser(text('This is a simple prompt for testing.')),
  );
  server.registerPrompt(
    'test_prompt_with_arguments',
    {
      description: 'A prompt with two arguments.',
      argsSchema: z.object({
        arg1: completable(z.string().describe('First test argument'), (value) =>
          ['paris', 'park', 'party'].filter((each) => each.startsWith(value)),
        ),
        arg2: z.string().describe('Second test argument'),
      }),
    },
    async ({ arg1, arg2 }) => asUser(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'A prompt that quotes a resource.', argsSchema: z.object({ resourceUri: z.string() }) },
    async ({ resourceUri }) =>
      asUser<object>(
        { type: 'resource', resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' } },
        text('Please process the embedded resource above.'),
      ) as ReturnType<typeof asUser<ReturnType<typeof text>>>,
  );
  server.registerPrompt('test_prompt_with_image', { description: 'A prompt with a picture.' }, async () =>
    asUser<typeof IMAGE | ReturnType<typeof text>>(IMAGE, text('Please analyze the image above.')),
  );
  server.registerPrompt('test_input_required_result_prompt', { description: 'A prompt that asks first.' }, async (ctx) =>
    ctx.mcpReq.inputResponses === undefined
      ? inputRequired({ inputRequests: { user_context: form('What context should the prompt use?', 'context') } })
      : asUser(text(`Context: ${JSON.stringify(ctx.mcpReq.inputResponses)}`)),
  );
}
