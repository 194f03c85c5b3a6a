/**
 * Plausible slip: may somebody have meant this word and written that one?
 *
 * A letter left out, put in twice, or swapped with its neighbour may happen anywhere. One letter in the place of another happens between
 * keys that lie together and letters that sound alike; between others (`tides`, `times`) it is more likely that the word was meant.
 */

const KEY_ROWS = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'];
/** Keys that lie elsewhere on other keyboards with Latin letters. */
const OTHER_KEYBOARDS: ReadonlySet<string> = new Set(['yz', 'zy', 'aq', 'qa', 'wz', 'zw', 'lm', 'ml']);
const SOUND_ALIKE = ['aeiouy', 'ckqs', 'sxz', 'dt', 'bp', 'fvw', 'gj', 'mn'];

export function isPlausibleSlip(written: string, meant: string): boolean {
  const at = onlyDifference(written, meant);
  return at < 0 || areMistaken(written.charAt(at), meant.charAt(at));
}

/** Where two words of one length differ in one letter alone, or -1. */
function onlyDifference(a: string, b: string): number {
  if (a.length !== b.length) return -1;
  let found = -1;
  for (let at = 0; at < a.length; at++) {
    if (a.charCodeAt(at) === b.charCodeAt(at)) continue;
    if (found >= 0) return -1;
    found = at;
  }
  return found;
}

function areMistaken(a: string, b: string): boolean {
  if (!/^[a-z]{2}$/.test(a + b)) return true;
  return SOUND_ALIKE.some((group) => group.includes(a) && group.includes(b)) || OTHER_KEYBOARDS.has(a + b) || lieTogether(a, b);
}

function lieTogether(a: string, b: string): boolean {
  const [x, y] = [placeOf(a), placeOf(b)];
  const across = y.column - x.column;
  // Each row begins half a key further right, so the key below is the one of the same number or the one before.
  if (x.row === y.row) return Math.abs(across) === 1;
  if (y.row - x.row === 1) return across === 0 || across === -1;
  return x.row - y.row === 1 && (across === 0 || across === 1);
}

function placeOf(letter: string): { readonly row: number; readonly column: number } {
  const row = KEY_ROWS.findIndex((keys) => keys.includes(letter));
  return { row, column: KEY_ROWS[row]?.indexOf(letter) ?? -1 };
}
