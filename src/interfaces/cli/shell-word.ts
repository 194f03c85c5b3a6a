/** A word as it must be written for a shell to read it as one: as it is where nothing in it means anything to a shell. */
export function shellWord(word: string): string {
  if (/^[\w./:@%+,=-]+$/.test(word)) return word;
  return /^[^"\\$`!]+$/.test(word) ? `"${word}"` : `'${word.replaceAll("'", `'\\''`)}'`;
}
