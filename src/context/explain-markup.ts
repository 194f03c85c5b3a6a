/**
 * Markup: the one way in which text becomes part of the explanation page.
 *
 * Invariant: whatever was not built by `html` is escaped where it is written.
 */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
export type Part = string | number | Markup | readonly Markup[];

export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(strings.reduce((text, literal, at) => text + written(parts[at - 1]) + literal));
}

export const NOTHING = html``;

/** The parts with `between` between them. */
export function joined(parts: readonly Markup[], between: string): Markup {
  return html`${parts.map((part, at) => (at === 0 ? part : html`${between}${part}`))}`;
}

function written(part: Part | undefined): string {
  if (part === undefined) return '';
  if (part instanceof Markup) return part.text;
  if (typeof part === 'object') return part.map(({ text }) => text).join('');
  return String(part).replace(/[&<>"'`]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
