/**
 * Faults: the only thing this program throws on purpose.
 *
 * A fault means "I could not do it". Decisions (denied, abstained, contradicted) are not faults; they are values declared in
 * `domain`. To add a fault, add one line to `FaultData` and one to `FAULTS`; the compiler asks for the second.
 *
 * Invariant: codes are public and never reused.
 * Invariant: a message carries ids, paths and settings, never document text or a secret.
 */
interface FaultData {
  'config/invalid': { readonly file: string; readonly line?: number; readonly key: string; readonly expected: string };
  'config/unreadable': { readonly file: string; readonly reason: string };
  'policy/invalid': { readonly file: string; readonly line?: number; readonly what: string };
  'vocabulary/undeclared': { readonly file: string };
  'input/invalid': { readonly field: string; readonly expected: string };
  'evaluation/label-lost': {
    readonly file: string;
    readonly line: number;
    readonly label: number;
    readonly page: string;
    readonly gone: 'page' | 'words';
  };
  'library/missing': { readonly path: string; readonly reason: string; readonly hint?: string };
  'library/unwritable': { readonly path: string; readonly reason: string };
  'library/unsafe': { readonly path: string; readonly reason: string };
  'source/unknown': { readonly sourceId: string };
  'source/not-allowed': { readonly asked: string; readonly said?: string };
  'source/undeclared': { readonly sourceId: string };
  'source/refused': { readonly source: string; readonly event: string; readonly said: string; readonly unrecorded?: true };
  'page/refused': { readonly page: string; readonly event: string; readonly said: string };
  'source/unreachable': { readonly sourceId: string; readonly location: string; readonly reason: string };
  'git/failed': { readonly command: string; readonly reason: string };
  'index/version-mismatch': { readonly wanted: string; readonly found: string };
  'index/not-built': { readonly path: string };
  'index/busy': { readonly holder: string };
  'index/begun': { readonly holder: string };
  'store/corrupt': { readonly file: string; readonly reason: string };
  'store/full': { readonly file: string };
  'store/unavailable': { readonly file: string; readonly reason: string };
  'not-found': { readonly what: string; readonly of?: 'package' | 'vocabulary' };
  'artifact/ambiguous': { readonly start: string };
  'page/ambiguous': { readonly path: string; readonly sources: readonly string[] };
  'page/look-alikes': { readonly path: string };
  'access/second-check': { readonly step: string };
  'access/denied': { readonly asked: string };
  'access/role-needed': { readonly asked: string; readonly role: string; readonly isGiven: boolean };
  'file/unwritable': { readonly file: string; readonly reason: string };
  'package/altered': { readonly digest: string };
  'bundle/altered': { readonly file: string; readonly digest: string };
  'package/unknown-format': { readonly format: string; readonly known: readonly string[] };
  'package/not-usable': { readonly what: string; readonly reasons: readonly string[] };
  'attempt/other-manifest': { readonly attempt: string; readonly bound: string };
  'approval/no-person': Readonly<Record<string, never>>;
  'access/unauthenticated': Readonly<Record<string, never>>;
  'access/insufficient-scope': { readonly scope: string };
  'access/foreign-host': { readonly header: 'Host' | 'Origin' };
  'limit/too-many-requests': { readonly retryAfterSeconds: number };
  'limit/too-large': { readonly limitBytes: number };
  'limit/too-many-headers': { readonly most: number };
  'limit/too-slow': { readonly seconds: number };
  'http/gone': Readonly<Record<string, never>>;
  'http/no-route': Readonly<Record<string, never>>;
  'http/method': { readonly allowed: string };
  'http/media-type': Readonly<Record<string, never>>;
  'serve/unsafe': { readonly reason: string; readonly hint: string };
  'serve/address': { readonly address: string; readonly reason: string };
  'token/unknown': { readonly id: string };
  'audit/unwritable': { readonly file: string; readonly reason: string };
  'client/file-invalid': { readonly file: string; readonly line: number; readonly reason: string };
  'client/file-unwritable': { readonly file: string; readonly reason: string };
  'models/unreachable': { readonly from: string; readonly reason: string };
  'models/unusable-list': { readonly from: string; readonly reason: string };
}
export type FaultCode = keyof FaultData;

/** What a caller can do about it. Interfaces map this, and nothing else, to exit codes and statuses. */
export type FaultKind = 'invalid' | 'not-found' | 'conflict' | 'unavailable' | 'corrupt' | 'denied';

interface Row<Data> {
  readonly kind: FaultKind;
  /** What happened, and where. */
  readonly say: (data: Data) => string;
  /** What to do about it. */
  readonly hint: (data: Data) => string;
}

const MOST_SOURCES_NAMED = 6;

/** The reason that is mended by writing the file. */
export const NO_SUCH_FILE = 'there is no such file';

const FAULTS: { readonly [C in FaultCode]: Row<FaultData[C]> } = {
  'config/invalid': {
    kind: 'invalid',
    say: (d) => `${d.file}${d.line === undefined ? '' : `:${d.line}`}: ${d.key} must be ${d.expected}.`,
    hint: ({ file }) =>
      /colophon\.ya?ml$/.test(file)
        ? 'Correct the file; `colophon init --print` shows the usual keys with comments.'
        : 'Correct the file; the message says where and what is expected.',
  },
  'config/unreadable': {
    kind: 'invalid',
    say: (d) => `${d.file} could not be read: ${d.reason}.`,
    hint: ({ reason }) => (reason === NO_SUCH_FILE ? 'Write it, or name one that is there.' : 'Check the file and its permissions.'),
  },
  'policy/invalid': {
    kind: 'unavailable',
    say: (d) => `The policy cannot be used, so nothing is answered: ${d.file}${d.line === undefined ? '' : `:${d.line}`}: ${d.what}.`,
    hint: () => 'Correct it; `colophon policy check` lists everything that is wrong. What was allowed before is not allowed meanwhile.',
  },
  'vocabulary/undeclared': {
    kind: 'invalid',
    say: (d) => `No vocabulary is configured in ${d.file}, so there is none to check.`,
    hint: () => 'Name the file of names there, e.g. `vocabulary: contracts/vocabulary.yaml`.',
  },
  'input/invalid': {
    kind: 'invalid',
    say: (d) => `${d.field} must be ${d.expected}.`,
    hint: () => 'Run the command with --help for an example.',
  },
  'evaluation/label-lost': {
    kind: 'invalid',
    say: (d) =>
      `${d.file}:${d.line}: label ${d.label} leads nowhere: ${d.gone === 'page' ? `the library has no page ${d.page}` : `its words are not on ${d.page} any more`}.`,
    hint: () => 'Let the label follow the page, or leave the question out; a page is written `source:path`.',
  },
  'library/missing': {
    kind: 'invalid',
    say: (d) => `${d.path}: ${d.reason}.`,
    hint: ({ hint }) => hint ?? 'Name a folder of documents, or run `colophon init` in one.',
  },
  'library/unwritable': {
    kind: 'unavailable',
    say: (d) => `The library state in ${d.path} cannot be written: ${d.reason}.`,
    hint: () => 'Free the folder for writing, or set COLOPHON_HOME to a folder that can be written.',
  },
  'library/unsafe': {
    kind: 'denied',
    say: (d) => `${d.path} is not used: ${d.reason}.`,
    hint: () => 'Look at what it is; if it came with a checkout, delete it. COLOPHON_HOME keeps the state elsewhere.',
  },
  'source/unknown': {
    kind: 'not-found',
    say: (d) => `No source is registered as ${d.sourceId}.`,
    hint: () => 'colophon.yaml lists the sources under `sources`.',
  },
  'source/not-allowed': {
    kind: 'denied',
    say: (d) => `${d.asked} is not yours to do${d.said === undefined ? '' : `: ${d.said}`}.`,
    hint: () => 'The policy says who bears which role (`roles`, `owners`). Agents may propose a source, and nothing more.',
  },
  'source/undeclared': {
    kind: 'not-found',
    say: (d) => `colophon.yaml declares no source ${d.sourceId}.`,
    hint: () => 'Declare it there, under `sources`, where it is reviewed. Nothing was changed.',
  },
  'source/refused': {
    kind: 'denied',
    say: (d) => `Source ${d.source} was left as it is; "${d.event}" was refused: ${d.said}.`,
    hint: ({ unrecorded }) =>
      `\`colophon source show\` tells its state and version, \`colophon source history\` what happened to it.${unrecorded ? '' : ' The refusal is recorded.'}`,
  },
  'page/refused': {
    kind: 'denied',
    say: (d) => `${d.page} was left as it is; "${d.event}" was refused: ${d.said}.`,
    hint: () => '`colophon page history` tells its state and what happened to it. The refusal is recorded.',
  },
  'source/unreachable': {
    kind: 'unavailable',
    say: (d) => `Source ${d.sourceId} at ${d.location} cannot be read: ${d.reason}.`,
    hint: () => 'Nothing was removed from the index. Restore the folder or correct its `location`, then index again.',
  },
  'git/failed': {
    kind: 'unavailable',
    say: (d) => `git ${d.command} failed: ${d.reason}.`,
    hint: () => 'Run the command by hand in the repository to see more.',
  },
  'index/version-mismatch': {
    kind: 'conflict',
    say: (d) => `The index has format ${d.found} but this version needs ${d.wanted}.`,
    hint: () => 'Run `colophon index --root FOLDER` with the folder of the library; the index is made anew from its sources.',
  },
  'index/not-built': { kind: 'unavailable', say: (d) => `There is no index yet for ${d.path}.`, hint: () => 'Run `colophon index`.' },
  'index/busy': {
    kind: 'conflict',
    say: (d) => `Another process is indexing this library (${d.holder}).`,
    hint: () => 'Wait for it to finish; questions are answered meanwhile.',
  },
  'index/begun': {
    kind: 'unavailable',
    say: (d) => `Another process has begun to index this library (${d.holder}), and no page is stored yet.`,
    hint: () => 'Ask again in a few seconds: answers come as soon as the first pages are stored.',
  },
  'store/corrupt': {
    kind: 'corrupt',
    say: (d) => `${d.file} is damaged: ${d.reason}.`,
    hint: ({ file }) =>
      /records\.db$/.test(file)
        ? 'Restore it from a backup; without one, `colophon doctor --repair --set-aside-records` starts a new one and says what is lost.'
        : 'Run `colophon doctor --repair`; the index is rebuilt from the sources.',
  },
  'store/full': {
    kind: 'unavailable',
    say: (d) => `The disk is full; ${d.file} was left as it was before this command.`,
    hint: () => 'Free some space and run the command again.',
  },
  'store/unavailable': {
    kind: 'unavailable',
    say: (d) => `${d.file} could not be opened: ${d.reason}.`,
    hint: () => 'Check the file and its permissions; `colophon doctor` tells more.',
  },
  'not-found': {
    kind: 'not-found',
    say: (d) => `${d.what} was not found.`,
    hint: ({ of }) => {
      if (of === 'package') return '`colophon package list` shows those there are for you.';
      if (of === 'vocabulary') return '`colophon vocabulary show` lists the names there are.';
      return 'Check the spelling; `colophon search` lists what you may see.';
    },
  },
  'artifact/ambiguous': {
    kind: 'invalid',
    say: (d) => `${d.start} begins the ids of more than one passage.`,
    hint: () => 'Write more of it: `colophon get PAGE --segments` shows the whole ids.',
  },
  'page/ambiguous': {
    kind: 'invalid',
    say: ({ path, sources }) => {
      const shown = sources.slice(0, MOST_SOURCES_NAMED).map((source) => `${source}:${path}`);
      const rest = sources.length - shown.length;
      return `${path} is a page of more than one source: ${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}.`;
    },
    hint: () => 'Write the one you mean that way, its source before the path.',
  },
  'page/look-alikes': {
    kind: 'invalid',
    say: ({ path }) => `${path} may be either of two pages whose names look alike: their accents are written in different ways.`,
    hint: () => 'Name the id of a passage of the one you mean, as a search gives it.',
  },
  'access/denied': {
    kind: 'denied',
    say: (d) => `${d.asked} asks for more than this library was opened with.`,
    hint: () => 'Flags may only narrow: leave it out, or correct `identity` and `people` in colophon.yaml.',
  },
  'access/role-needed': {
    kind: 'denied',
    say: (d) =>
      d.isGiven
        ? `${d.asked} takes the role \`${d.role}\`, which you do not bear.`
        : `${d.asked} is for the identity this library answers as (\`identity.principal\`), and not for who asks as another.`,
    hint: (d) =>
      d.isGiven
        ? `The policy names who bears it, under \`roles.${d.role}\`: ask one of them, or have yourself named there.`
        : `Leave out --as and COLOPHON_AS, or let a policy name who may, under \`roles.${d.role}\`.`,
  },
  'approval/no-person': {
    kind: 'denied',
    say: () => 'An approval is a person’s to give, at a terminal, and there is none here.',
    hint: () => 'Run the command yourself in a terminal of your own. An agent cannot approve its own calls.',
  },
  'access/unauthenticated': {
    kind: 'denied',
    say: () => 'This needs a token that is valid here.',
    hint: () => 'Send `Authorization: Bearer <token>`; whoever runs the server makes one with `colophon token create`.',
  },
  'access/insufficient-scope': {
    kind: 'denied',
    say: (d) => `The token does not reach this: it needs the scope ${d.scope}.`,
    hint: () => 'Ask for a token with that scope. Nothing was done.',
  },
  'access/foreign-host': {
    kind: 'denied',
    say: (d) => `The request’s ${d.header} header names no address of this server.`,
    hint: () => 'Use an address that the server was started with; `--allow-host` and `--allow-origin` add others.',
  },
  'limit/too-many-requests': {
    kind: 'unavailable',
    say: () => 'There are too many requests at present; this one was not looked at.',
    hint: (d) => `Ask again in ${d.retryAfterSeconds} s.`,
  },
  'limit/too-large': {
    kind: 'invalid',
    say: (d) => `The request is larger than ${d.limitBytes} bytes.`,
    hint: () => 'Send less. Text to search for is a question, not a document.',
  },
  'limit/too-many-headers': {
    kind: 'invalid',
    say: (d) => `The request has more than ${d.most} header fields; none of them was looked at.`,
    hint: () => 'Send only those that this server knows.',
  },
  'limit/too-slow': {
    kind: 'unavailable',
    say: (d) => `There was no answer within ${d.seconds} s.`,
    hint: () => 'Ask again, or ask for less at once.',
  },
  'http/gone': {
    kind: 'unavailable',
    say: () => 'The caller left before it was answered.',
    hint: () => 'Ask again, and keep the connection open until the answer is there.',
  },
  'http/no-route': { kind: 'not-found', say: () => 'There is nothing at this address.', hint: () => '/openapi.json lists what there is.' },
  'http/method': {
    kind: 'invalid',
    say: (d) => `This address takes ${d.allowed}.`,
    hint: () => '/openapi.json says what each address takes.',
  },
  'http/media-type': {
    kind: 'invalid',
    say: () => 'The body must be JSON.',
    hint: () => 'Send `Content-Type: application/json` and one JSON object.',
  },
  'serve/unsafe': { kind: 'denied', say: (d) => `The server was not started: ${d.reason}.`, hint: (d) => d.hint },
  'serve/address': {
    kind: 'unavailable',
    say: (d) => `The server cannot listen on ${d.address}: ${d.reason}.`,
    hint: () => 'Choose another with --port or --host.',
  },
  'token/unknown': {
    kind: 'not-found',
    say: (d) => `There is no token ${d.id}.`,
    hint: () => '`colophon token list` shows those there are.',
  },
  'audit/unwritable': {
    kind: 'unavailable',
    say: (d) => `The audit log ${d.file} cannot be written: ${d.reason}.`,
    hint: () => 'In profile `team` nothing is answered that cannot be recorded. Free the file for writing and ask again.',
  },
  'client/file-invalid': {
    kind: 'invalid',
    say: (d) => `${d.file}:${d.line}: ${d.reason}. Nothing was changed.`,
    hint: () => 'Correct the file, or add the entry by hand: --print shows it.',
  },
  'client/file-unwritable': {
    kind: 'unavailable',
    say: (d) => `${d.file} could not be written: ${d.reason}. It was left as it was.`,
    hint: () => 'Free the file for writing, or add the entry by hand: --print shows it.',
  },
  'models/unreachable': {
    kind: 'unavailable',
    say: (d) => `The list of models at ${d.from} was not had: ${d.reason}.`,
    hint: () => 'Try again later, or save the list and name the file: `colophon models refresh --from FILE`. Nothing was changed.',
  },
  'models/unusable-list': {
    kind: 'unavailable',
    say: (d) => `What ${d.from} gave is no list of models: ${d.reason}.`,
    hint: () => 'Check what it is; a list looks like https://openrouter.ai/api/v1/models. Nothing was changed.',
  },
  'file/unwritable': {
    kind: 'unavailable',
    say: (d) => `${d.file} cannot be written: ${d.reason}.`,
    hint: () => 'Check that the folder is there and may be written to. Nothing was changed.',
  },
  'access/second-check': {
    kind: 'unavailable',
    say: (d) => `The answer was withheld: the final access check failed after ${d.step}.`,
    hint: () => 'Ask again; if it persists, report it: a passage reached the answer that eligibility had not admitted.',
  },
  'package/altered': {
    kind: 'corrupt',
    say: (d) => `Package ${d.digest} does not match its digest.`,
    hint: () => 'Do not use it. Compile the context again.',
  },
  'bundle/altered': {
    kind: 'invalid',
    say: (d) => `${d.file} was changed after it was exported, so nothing in it is used.`,
    hint: () => 'Export the package again where it was compiled, with `colophon package export`.',
  },
  'package/unknown-format': {
    kind: 'conflict',
    say: (d) => `The format ${d.format} is not one this version reads; it reads ${d.known.join(', ')}.`,
    hint: () => 'It was written by a newer version of Colophon: install that one to read it. Nothing was changed.',
  },
  'package/not-usable': {
    kind: 'denied',
    say: (d) => `${d.what} may not be used any more: ${d.reasons.join('; ')}.`,
    hint: () => 'Compile the context again; `colophon package check` says what changed.',
  },
  'attempt/other-manifest': {
    kind: 'invalid',
    say: (d) => `Attempt ${d.attempt} is bound to another manifest (${d.bound}).`,
    hint: () => 'What runs under a changed manifest is a new attempt: give it a name of its own.',
  },
};

export const FAULT_CODES = Object.keys(FAULTS) as readonly FaultCode[];

export class Fault<C extends FaultCode = FaultCode> extends Error {
  override readonly name = 'Fault';
  readonly code: C;
  readonly kind: FaultKind;
  readonly hint: string;
  readonly data: FaultData[C];

  constructor(code: C, data: FaultData[C], options?: ErrorOptions) {
    const row: Row<FaultData[C]> = FAULTS[code];
    // A reason quoted from elsewhere may bring its own full stop.
    super(row.say(data).replace(/([.!?])\.$/, '$1'), options);
    this.code = code;
    this.kind = row.kind;
    this.hint = row.hint(data);
    this.data = data;
  }
}
