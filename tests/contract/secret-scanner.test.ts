import { expect, it } from 'vitest';
import { secretScanner } from '../../src/adapters/secrets/secret-scanner.js';
import { secretScannerContract } from './secret-scanner.contract.js';

secretScannerContract('own rules and secretlint', secretScanner);

it('T2.10 takes linear time over text made of its own anchors', async () => {
  const scanner = secretScanner();
  for (const unit of [
    'token=',
    'bearer a',
    'a://b:',
    'eyJaaaaaaaaaaaa.',
    'sk-aaa_',
    '-----BEGIN PRIVATE KEY-----\n',
    'AKIA',
    'aws_secret_access_key = ',
    'password: "',
  ]) {
    const text = unit.repeat(Math.ceil(300_000 / unit.length));
    const started = process.cpuUsage();
    await scanner.scan(text);
    const { user, system } = process.cpuUsage(started);
    expect((user + system) / 1000, unit).toBeLessThan(2000);
  }
});
