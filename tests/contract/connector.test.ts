import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { directoryConnector } from '../../src/adapters/connectors/directory/directory-connector.js';
import { gitConnector } from '../../src/adapters/connectors/git/git-connector.js';
import type { SourceRegistration } from '../../src/domain/source.js';
import type { Connector } from '../../src/ports/connector.js';
import { sectionsApart } from '../../src/sources/sections-apart.js';
import type { TemporaryFolder } from '../support/temporary-folder.js';
import { connectorContract } from './connector.contract.js';

connectorContract('directory', {
  connector: directoryConnector,
  location: { connector: 'directory' },
  prepare: () => undefined,
  settle: () => undefined,
  ignoreFiles: ['.gitignore', '.colophonignore'],
  readsDisk: true,
  signs: true,
});

connectorContract('git working tree', {
  connector: gitConnector,
  location: { connector: 'git' },
  prepare: (folder) => folder.git('init', '-q'),
  // Half of the files tracked, half not: both count.
  settle: (folder) => {
    const tracked = ['a.md', 'docs/a.md', 'd'].filter((path) => existsSync(join(folder.path, path)));
    if (tracked.length > 0) folder.git('add', '--', ...tracked);
  },
  ignoreFiles: ['.gitignore', '.colophonignore'],
  readsDisk: true,
  signs: true,
});

// Cutting marked sections out of pages that have none must change nothing of what a connector promises.
const cutting = (connector: () => Connector) => () => {
  const apart = sectionsApart(connector());
  const as = (registration: SourceRegistration): SourceRegistration => ({ ...registration, sections: 'apart' });
  return {
    ...apart,
    list: (registration, signal) => apart.list(as(registration), signal),
    read: (registration, documents, signal) => apart.read(as(registration), documents, signal),
    same: (registration, documents, held, signal) => apart.same(as(registration), documents, held, signal),
    signatures: (registration, paths) => apart.signatures?.(as(registration), paths) ?? new Map(),
  } satisfies Connector;
};

connectorContract('directory, sections apart', {
  connector: cutting(directoryConnector),
  location: { connector: 'directory' },
  prepare: () => undefined,
  settle: () => undefined,
  ignoreFiles: ['.gitignore', '.colophonignore'],
  readsDisk: true,
  signs: false,
});

connectorContract('git ref, sections apart', {
  connector: cutting(gitConnector),
  location: { connector: 'git', ref: 'trunk' },
  prepare: (folder) => {
    folder.git('init', '-q');
    folder.git('commit', '-q', '--allow-empty', '-m', 'start');
  },
  settle: (folder) => commitAll(folder),
  ignoreFiles: ['.colophonignore'],
  readsDisk: false,
  signs: false,
});

connectorContract('git ref', {
  connector: gitConnector,
  location: { connector: 'git', ref: 'trunk' },
  prepare: (folder) => {
    folder.git('init', '-q');
    folder.git('commit', '-q', '--allow-empty', '-m', 'start');
  },
  settle: (folder) => commitAll(folder),
  // What is committed is committed: only our own ignore file has a say.
  ignoreFiles: ['.colophonignore'],
  readsDisk: false,
  signs: false,
});

function commitAll(folder: TemporaryFolder): void {
  folder.git('add', '-A', '-f');
  folder.git('commit', '-q', '--allow-empty', '-m', 'state');
}
