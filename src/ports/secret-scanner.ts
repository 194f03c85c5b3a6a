/**
 * Port: find secrets in text before anything is stored.
 *
 * Contract (tests/contract/secret-scanner.contract.ts): ranges are in UTF-16 units, sorted, without overlap; every family of
 * the shared fixtures is found.
 */
export interface SecretRange {
  readonly start: number;
  readonly end: number;
  /** Family, e.g. `aws-access-key`; shown in place of the secret. */
  readonly kind: string;
}

export interface SecretScanner {
  readonly version: string;
  scan(text: string): Promise<readonly SecretRange[]>;
}
