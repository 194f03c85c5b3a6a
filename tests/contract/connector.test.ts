import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { directoryConnector } from '../../src/adapters/connectors/directory/directory-connector.js';
import { gitConnector } from '../../src/adapters/connectors/git/git-connector.js';
import type { TemporaryFolder } from '../support/temporary-folder.js';
import { connectorContract } from './connector.contract.js';

connectorContract('directory', {
  connector: directoryConnector,
  location: { connector: 'directory' },
  prepare: () => undefined,
  settle: () => undefined,
  ignoreFiles: ['.gitignore', '.colophonignore'],
  readsDisk: true,
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
});

function commitAll(folder: TemporaryFolder): void {
  folder.git('add', '-A', '-f');
  folder.git('commit', '-q', '--allow-empty', '-m', 'state');
}
