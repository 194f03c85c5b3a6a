/** The `next` token of a ranked list: where to go on, bound to the question it belongs to. */
import { digestOf } from '../../kernel/digest.js';
import { Fault } from '../../kernel/errors.js';

/** `question` is everything that decides the order; a token of another question is refused. */
export function nextToken(offset: number, question: unknown): string {
  return `${offset.toString(36)}.${bindingOf(question)}`;
}

export function offsetOf(token: string, question: unknown): number {
  const [offset = '', binding] = token.split('.');
  const value = Number.parseInt(offset, 36);
  if (binding !== bindingOf(question) || !Number.isSafeInteger(value) || value < 0) {
    throw new Fault('input/invalid', { field: 'next', expected: 'the token of the same question, as the last answer gave it' });
  }
  return value;
}

/** As `nextToken`, for a list that goes on below something it showed. */
export function nextAfter(digest: string, createdAt: number, question: unknown): string {
  return `${digest.slice(0, 32)}${createdAt.toString(36)}.${bindingOf(question)}`;
}

export function afterOf(token: string, question: unknown): { readonly digest: string; readonly createdAt: number } {
  const [, digest = '', at = '', binding] = /^([0-9a-f]{32})([0-9a-z]+)\.(\w+)$/.exec(token) ?? [];
  if (binding !== bindingOf(question)) {
    throw new Fault('input/invalid', { field: 'next', expected: 'the token of the same question, as the last answer gave it' });
  }
  return { digest, createdAt: Number.parseInt(at, 36) };
}

function bindingOf(question: unknown): string {
  return digestOf(question).slice(0, 12);
}
