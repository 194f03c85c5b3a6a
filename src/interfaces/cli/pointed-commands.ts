/**
 * Commands that we tell a person to give, so that they mean the library at hand wherever they are given.
 *
 * Invariant: only words of our own pass through here; what a page or a path says of a command is left as it is.
 */
import { shellWord } from './shell-word.js';

/** Every command between backquotes, with `--root` where it names none. */
export function pointedAt(text: string, root: string | undefined): string {
  if (root === undefined) return text;
  const option = `--root ${shellWord(root)}`;
  return text.replace(/`colophon ([^`\n]*)`/g, (whole, rest: string) => {
    if (/(?:^|\s)--(?:\s|root\b|$)/.test(rest)) return whole;
    if (rest.startsWith('"')) return `\`colophon ${option} ${rest}\``;
    return /^[a-z]/.test(rest) ? `\`colophon ${rest} ${option}\`` : whole;
  });
}
