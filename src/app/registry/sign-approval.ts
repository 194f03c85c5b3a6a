/** A person's signature on an order about a source, made with a private key of their own that never leaves the file it is in. */
import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { APPROVAL_FORMAT, type ApprovalStatement, approvalBytes, type SignedApproval } from '../../domain/signed-approval.js';
import { Fault } from '../../kernel/errors.js';

export async function signApproval(
  keyFile: string,
  said: Omit<ApprovalStatement, 'format'>,
): Promise<SignedApproval & { readonly publicKey: string }> {
  const key = await privateKeyIn(keyFile);
  const statement: ApprovalStatement = { format: APPROVAL_FORMAT, ...said };
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64');
  return { statement, signature: sign(null, approvalBytes(statement), key).toString('base64'), publicKey };
}

async function privateKeyIn(file: string): Promise<KeyObject> {
  const expected = 'a file with an ed25519 private key, as `openssl genpkey -algorithm ed25519` makes it';
  try {
    const key = createPrivateKey(await readFile(file));
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch (error) {
    throw new Fault('input/invalid', { field: '--key', expected }, { cause: error });
  }
  throw new Fault('input/invalid', { field: '--key', expected });
}
