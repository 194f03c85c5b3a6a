/** Compiles src/ to dist/ and makes the command executable. The old dist/ stays in use until the new one is whole. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, renameSync, rmSync } from 'node:fs';

const fresh = `.dist-${process.pid}`;
const old = `${fresh}-old`;
try {
  execFileSync(process.execPath, ['node_modules/ts7/bin/tsc', '-p', 'tsconfig.build.json', '--outDir', fresh], { stdio: 'inherit' });
  chmodSync(`${fresh}/interfaces/cli/main.js`, 0o755);
  if (existsSync('dist')) renameSync('dist', old);
  renameSync(fresh, 'dist');
} catch (error) {
  if (error.status === undefined) throw error;
  process.exitCode = 1;
} finally {
  rmSync(fresh, { recursive: true, force: true });
  rmSync(old, { recursive: true, force: true });
}
