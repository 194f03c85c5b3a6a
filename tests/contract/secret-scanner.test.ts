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

it('T2.10 finds a credential that markup escapes, splits or glues to a word, in the offsets of the page', async () => {
  const scanner = secretScanner();
  const body = 'a8Kd03LmQz7Rt5Xw2Yb9Nc4Vf6Hj1Gs0PeUi';
  const [head, tail] = [body.slice(0, 12), body.slice(12)];
  for (const secret of [
    `ghp\\_${body}`,
    `ghp&#95;${body}`,
    `ghp&#x5F;${body}`,
    `ghp&lowbar;${body}`,
    `ghp_${head}**${tail}`,
    `ghp_${head}<b>${tail}`,
    `ghp_${head}<!-- x -->${tail}`,
    `Xghp_${body}`,
  ]) {
    const text = `Use \\*it\\* &amp; ${secret} here.`;
    const ranges = await scanner.scan(text);
    expect(ranges, secret).toHaveLength(1);
    const masked = text.slice(0, ranges[0]?.start) + text.slice(ranges[0]?.end);
    expect(masked, secret).toMatch(/^Use \\\*it\\\* &amp; X? here\.$/);
  }
  expect(await scanner.scan('The \\_name\\_ of `snake__case` and &#95; are **bold**ly a*b.')).toEqual([]);
});
