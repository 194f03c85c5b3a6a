import { expect, it } from 'vitest';
import { worthAsking } from './worth-asking.js';

it.each([
  'yes',
  'continue',
  'ok, go ahead',
  'commit this and push',
  'try again',
  'make it shorter',
  'no, the other one',
  'explain this file',
  'looks good, thanks!',
  'why?',
  'can you fix the tests?',
  'run it again with the new version',
  '👍',
])('steers only: %s', (prompt) => expect(worthAsking(prompt)).toBe(false));

it.each([
  'what is a recording rule?',
  'how do I rotate a signing key',
  'federation?',
  'ERR-4012',
  'fix retry_backoff_ms',
  'why does getBerthById return null',
  'add pagination to the berth list',
  'rotate the signing keys of the gateway',
  '液压泵怎么维护',
])('asks something: %s', (prompt) => expect(worthAsking(prompt)).toBe(true));
