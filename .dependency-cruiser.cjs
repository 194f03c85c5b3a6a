/** The dependency rule as a table: a folder may import itself and what its row names. Nothing else. */
const CORE = ['kernel', 'text', 'domain', 'ports'];
const STAGES = ['sources', 'ingest', 'retrieval', 'context', 'evaluation'];
const MAY_IMPORT = {
  kernel: [],
  text: ['kernel'],
  domain: ['kernel', 'text'],
  ports: ['kernel', 'text', 'domain'],
  engine: CORE,
  ...Object.fromEntries(STAGES.map((stage) => [stage, [...CORE, 'engine']])), // stages are strangers to each other
  adapters: [...CORE, 'engine'],
  app: [...CORE, 'engine', ...STAGES, 'adapters'],
  interfaces: ['kernel', 'domain', 'app'],
};
const NPM = {
  kernel: ['canonicalize'],
  text: ['@lezer/(common|markdown)', 'yaml', 'stemmer'],
  domain: [],
  ports: [],
  engine: [],
  ...Object.fromEntries(STAGES.map((stage) => [stage, ['zod']])),

}; // app, adapters and interfaces: any declared dependency

const folderRule = ([folder, allowed]) => ({
  name: `${folder}-may-import`,
  severity: 'error',
  comment: `src/${folder} may import ${[folder, ...allowed].join(', ')}. Wire stages together in src/app.`,
  from: { path: `^src/${folder}/`, pathNot: '[.]test[.]ts$' },
  to: { path: '^(src|tests|bench)/', pathNot: `^src/(${[folder, ...allowed].join('|')})/` },
});
const npmRule = ([folder, allowed]) => ({
  name: `${folder}-npm`,
  severity: 'error',
  comment: `src/${folder} may use npm packages: ${allowed.join(', ') || 'none'}.`,
  from: { path: `^src/${folder}/`, pathNot: '[.]test[.]ts$' },
  to: {
    dependencyTypes: ['npm', 'npm-dev', 'npm-peer', 'npm-optional', 'npm-no-pkg'],
    ...(allowed.length > 0 ? { pathNot: `node_modules/(${allowed.join('|')})/` } : {}),
  },
});
const rule = (name, comment, from, to) => ({ name, severity: 'error', comment, from, to });

module.exports = {
  forbidden: [
    ...Object.entries(MAY_IMPORT).map(folderRule),
    ...Object.entries(NPM).map(npmRule),
    rule('no-cycles', 'Break the cycle by moving the shared type down a layer.', { path: '^src/' }, { circular: true }),
    rule(
      'adapters-are-strangers',
      'One implementation never imports another; lift the shared part into ports or text. What all connectors of files know about files on disk is in connectors/disk.',
      { path: '^src/adapters/([^/]+)/([^/]+)/', pathNot: '[.]test[.]ts$' },
      { path: '^src/adapters/', pathNot: ['^src/adapters/$1/$2/', '^src/adapters/connectors/disk/'] },
    ),
    rule(
      'only-the-container-knows-adapters',
      'Choose implementations in src/app/container.ts.',
      { path: '^src/app/', pathNot: ['^src/app/container[.]ts$', '[.]test[.]ts$'] },
      { path: '^src/adapters/' },
    ),
    rule(
      'interfaces-are-strangers',
      'cli, mcp and http share operations, not code. The commands that start the servers are their one meeting place.',
      { path: '^src/interfaces/([^/]+)/', pathNot: ['[.]test[.]ts$', '^src/interfaces/cli/commands/(mcp|serve)[.]ts$'] },
      { path: '^src/interfaces/', pathNot: '^src/interfaces/$1/' },
    ),
    rule(
      'no-io-in-the-core',
      'Only adapters, app and interfaces touch the outside world.',
      { path: '^src/', pathNot: ['^src/(adapters|app|interfaces)/', '^src/library[.]ts$', '[.]test[.]ts$'] },
      { dependencyTypes: ['core'], pathNot: '^(node:)?crypto$' },
    ),
    rule(
      'the-seal-has-one-caller',
      'Ask src/retrieval/eligible.ts for an EligibleSet; the reader contract suite may make its own.',
      { path: '^src/', pathNot: ['^src/retrieval/eligible[.]ts$', '[.]test[.]ts$'] },
      { path: '^src/domain/seal-eligible[.]ts$' },
    ),
    rule('no-dev-dependencies', 'What ships may use only `dependencies`.', { path: '^src/', pathNot: '[.]test[.]ts$' }, { dependencyTypes: ['npm-dev', 'npm-no-pkg'], dependencyTypesNot: ['type-only'] }),
    rule('src-never-imports-tests', 'Move what both need into src.', { path: '^src/', pathNot: '[.]test[.]ts$' }, { path: '(^(tests|bench)/|[.]test[.]ts$)' }),
    rule('no-orphans', 'Nothing reaches this file: use it or delete it.', { orphan: true, path: '^src/', pathNot: '([.]d[.]ts|[.]test[.]ts)$' }, {}),
    rule('resolvable', 'The import leads nowhere.', { path: '^src/' }, { couldNotResolve: true, pathNot: '^node:' }),
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'types', 'default'] },
  },
};
