/** Randomness: is this value a credential, or a word, a path or a placeholder that stands where one would? */

const PLACEHOLDERS =
  /^(?:pass|passwd|password|passw0rd|pwd|pw|secret|token|user|username|name|root|admin|test|guest|postgres|mysql|redis|mongo|rabbitmq|guest|example|sample|dummy|changeme|change-?me|foo|bar|baz|redacted|hidden|none|null|undefined|true|false|string|value|key|port|host|1234\d*|abc\d*|xyz\d*|hunter2)$/i;
const PLACEHOLDER_PARTS =
  /your|example|placeholder|redacted|changeme|change_me|replace|insert|dummy|sample|\bmy[_-]?|xxxx|\*{3}|\.\.\.|…|<|>|\$\{|\$\(|\{\{|%[A-Z_]+%|process\.env|os\.environ|import\.meta|secrets\.|1234567|abcdef|0000000|foobar|password|pa55w|s3cr3t|lorem/i;

export function isPlaceholder(value: string): boolean {
  if (PLACEHOLDERS.test(value) || PLACEHOLDER_PARTS.test(value)) return true;
  if (/^[${%]/.test(value) || /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(value)) return true;
  return new Set(value).size <= 3;
}

/** Bits per character. */
export function entropyOf(value: string): number {
  const counts = new Map<string, number>();
  for (const char of value) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}

const MIN_ENTROPY = 3;
/** Places where the kind of character changes, as a share of the length: random text has many, words and names few. */
const MIN_CHANGES = 0.18;

export function looksRandom(value: string): boolean {
  if (isPlaceholder(value) || !/[0-9]/.test(value) || !/[A-Za-z]/.test(value)) return false;
  if (/^(?:https?:|\/|\.{1,2}\/|[a-z]+:\/\/)/i.test(value) || entropyOf(value) < MIN_ENTROPY) return false;
  return changes(value) / value.length >= MIN_CHANGES;
}

/** From a letter to a digit or back, and from lower to upper case: capitals at the head of words and hyphens between them prove nothing. */
function changes(value: string): number {
  let count = 0;
  let before = kindOf(value.charCodeAt(0));
  for (let at = 1; at < value.length; at += 1) {
    const kind = kindOf(value.charCodeAt(at));
    if (kind !== before && kind !== OTHER && before !== OTHER && !(before === UPPER && kind === LOWER)) count += 1;
    before = kind;
  }
  return count;
}

const DIGIT = 1;
const LOWER = 2;
const UPPER = 3;
const OTHER = 4;

function kindOf(unit: number): number {
  if (unit >= 48 && unit <= 57) return DIGIT;
  if (unit >= 97 && unit <= 122) return LOWER;
  return unit >= 65 && unit <= 90 ? UPPER : OTHER;
}
