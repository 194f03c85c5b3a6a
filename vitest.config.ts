import { defineConfig } from 'vitest/config';

const report = process.env['COLOPHON_TEST_REPORT'];

/** Tests that start process after process run with the long proofs alone: `npm run test:heavy`. */
const isLong = process.env['COLOPHON_PROOF_SCALE'] !== undefined;

export default defineConfig({
  test: {
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Most tests wait for processes they started; a worker a core keeps both busy.
    maxWorkers: '100%',
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
    projects: [
      {
        extends: true,
        // Pure modules, which share nothing but what they remember: one worker runs them all.
        test: { name: 'unit', include: ['src/**/*.test.ts'], isolate: false, setupFiles: ['tests/support/fixed-seed.ts'] },
      },
      {
        extends: true,
        test: {
          name: 'whole',
          // Loading the program anew for each file would be a fifth of the time; the long proofs are short of memory instead.
          isolate: isLong,
          include: ['tests/**/*.test.ts'],
          exclude: isLong ? [] : ['tests/long/**'],
          setupFiles: ['tests/support/fixed-seed.ts'],
        },
      },
    ],
  },
});
