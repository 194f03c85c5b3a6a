/** How many of something, in words: one is one, and nothing is ever "1 pages". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
