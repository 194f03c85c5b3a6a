/**
 * Fails when docs/spec and the tests disagree: an id in a test's name that no row of the table has, a row that names a test which
 * does not exist, or a test file that a row names and that does not mention the id.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const ID =
  /\b(?:(?:SRC|ING|ART|ATT|IDX|SEM|DOC|ATH|RET|CTX|PKG|INJ|EVL|MCP|CLI|OBS|VRS|FAI|GAT|DEP|PIT|VER|LNT|K)-\d{2}|SM-A\d{1,2}|T\d{1,2}\.\d{1,2})\b/g;
const ROW = /^\|\s*([A-Z]+-\d{2}|SM-A\d{1,2}|T\d{1,2}\.\d{1,2})\s*\|([^|]*)\|([^|]*)\|\s*$/;

const table = process.argv[2] ?? 'docs/spec/enforcement.md';
const findings = [];
const rows = new Map();
for (const [index, line] of readFileSync(table, 'utf8').split('\n').entries()) {
  const row = ROW.exec(line);
  if (row === null) continue;
  const [, id, , tests] = row;
  if (rows.has(id)) findings.push(`${table}:${index + 1}: ${id} stands twice`);
  rows.set(id, true);
  const files = [...tests.matchAll(/`([^`]+)`/g)].map((match) => match[1]);
  if (files.length === 0 && !/not built/.test(tests))
    findings.push(`${table}:${index + 1}: ${id} names no test and does not say "not built"`);
  for (const file of files) {
    if (!existsSync(file)) findings.push(`${table}:${index + 1}: ${id} names ${file}, which does not exist`);
    else if (!new RegExp(`\\b${id.replace('.', '\\.')}\\b`).test(readFileSync(file, 'utf8')))
      findings.push(`${table}:${index + 1}: ${file} does not mention ${id}`);
  }
}

for (const root of ['src', 'tests']) {
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    if (!/\.(test|contract)\.ts$/.test(name)) continue;
    const file = `${root}/${name.replaceAll('\\', '/')}`;
    for (const match of readFileSync(file, 'utf8').matchAll(/\b(?:it|test|describe)(?:\.\w+)?\(\s*(['"`])((?:(?!\1).)*)\1/g)) {
      for (const id of match[2].match(ID) ?? [])
        if (!rows.has(id)) findings.push(`${file}: a test names ${id}, which ${table} does not have`);
    }
  }
}

for (const finding of [...new Set(findings)]) process.stderr.write(`${finding}\n`);
process.stdout.write(`${rows.size} ids, ${findings.length} findings\n`);
process.exitCode = findings.length === 0 ? 0 : 1;
