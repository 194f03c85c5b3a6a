/** What went wrong in a thread, as plain data, and back: a fault stays a fault. */
import { Fault, type FaultCode } from '../../kernel/errors.js';

export type ToldError =
  | { readonly say: 'fault'; readonly code: FaultCode; readonly data: unknown }
  | { readonly say: 'error'; readonly error: Error };

export function tellError(error: unknown): ToldError {
  if (error instanceof Fault) return { say: 'fault', code: error.code, data: error.data };
  return { say: 'error', error: error instanceof Error ? error : new Error(String(error)) };
}

export function heardError(told: ToldError): Error {
  return told.say === 'fault' ? new Fault(told.code, told.data as never) : told.error;
}

/** Compiled code can be started in a thread; TypeScript sources (tests) cannot. */
export function canStartThread(url: string): boolean {
  return url.endsWith('.js');
}
