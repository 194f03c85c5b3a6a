/** Runs an operation where its library has it run: in this thread, or in one of those that answer for a server. */
import type { z } from 'zod';
import type { Call, Operation } from './catalogue.js';

export async function runOperation<I extends z.ZodType, O extends z.ZodType>(
  operation: Operation<I, O>,
  input: z.output<I>,
  call: Call,
): Promise<z.output<O>> {
  const { answering } = call.library;
  if (answering === undefined) return operation.run(input, call);
  return (await answering.run(operation, input, call)) as z.output<O>;
}
