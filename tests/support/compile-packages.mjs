/**
 * Compiles packages of one folder in this process and prints their digests: a process of its own, because time zone, locale, umask
 * and working folder are those of a process, and plain JavaScript, because any Node is asked to run it.
 *
 * `touched` are the same digests as they would be if something of the surroundings got into them: what the proof must catch.
 */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';

const { library: module, root, requests, umask, workers, stages } = JSON.parse(process.argv[2] ?? '{}');
process.umask(umask);
os.availableParallelism = () => workers;
syncBuiltinESMExports();
const { openLibrary } = await import(module);

const library = await openLibrary({ root });
for (const stage of stages) {
  const { renameSync } = await import('node:fs');
  for (const [from, to] of stage) renameSync(from, to);
  await library.index();
}
const digests = [];
const paths = new Set();
let day = '';
for (const request of requests) {
  const { digest, items } = await library.context(request);
  digests.push(digest);
  for (const { path } of items) paths.add(path);
}
day = (await library.packages.show('last')).body.request.asOf;
await library.close();

const hash = (...parts) => createHash('sha256').update(JSON.stringify(parts)).digest('hex');
const surroundings = {
  clock: process.hrtime.bigint().toString(),
  zone: new Date(0).toString(),
  locale: [...paths].sort((a, b) => a.localeCompare(b)),
  umask: process.umask(),
  cwd: process.cwd(),
  order: readdirSync(root).length + stages.length,
  workers: os.availableParallelism(),
};
const touched = Object.fromEntries(Object.entries(surroundings).map(([name, value]) => [name, hash(digests, value)]));
process.stdout.write(JSON.stringify({ node: process.version, day, digests, touched }));
