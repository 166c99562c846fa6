import { z } from 'zod';
import { parsedJson } from '../../../shared/parsed-json';
import type { FarEnd } from '../../ports/far-hosts';
import { plainLine } from './plan-link';

/** Exit code of `ssh` when the shell has no such program. */
const NO_PROGRAM = 127;

/** Outcome of a question. */
export type FarTold =
  | { readonly kind: 'told'; readonly value: unknown }
  | {
      readonly kind: 'untold';
      readonly why: string;
      /** Error code if the Holdfast on the host rejected it. */
      readonly code?: string;
    };

const refused = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

/** The host's rejection. Undefined if the answer is not one. Pure. */
export function refusalOf(
  value: unknown,
): { readonly code: string; readonly message: string } | undefined {
  const read = refused.safeParse(value);
  return read.success
    ? { code: read.data.error.code, message: plainLine(read.data.error.message) }
    : undefined;
}

/**
 * Why no readable answer came back. `isSure`: no Holdfast there has seen the command. Pure. HO-02
 */
export function whyNoWord(
  name: string,
  end: FarEnd & { readonly isLate: boolean },
): { readonly why: string; readonly isSure: boolean } {
  if (end.fault === 'no_ssh') return { why: 'There is no ssh on this computer.', isSure: true };
  if (end.isLate) return { why: `${name} did not respond in time.`, isSure: false };
  if (end.code === NO_PROGRAM) return { why: `${name} has no Holdfast on its PATH.`, isSure: true };
  if (end.fault === 'too_much') return { why: `${name} sent too much data.`, isSure: false };
  const words = plainLine(end.lastWords.trim().split('\n').at(-1) ?? '');
  const ended = `The connection to ${name} ended before it responded`;
  return { why: words === '' ? `${ended}.` : `${ended}: ${words}`, isSure: false };
}

/** The connection ended before an answer. Pure. HO-02 */
export const noWord = (name: string): FarTold => ({
  kind: 'untold',
  why: `The connection to ${name} ended before it responded.`,
});

/** The answer's value, or its rejection. Pure. HO-02 */
export function judgeValue(value: unknown): FarTold {
  const refusal = refusalOf(value);
  return refusal === undefined
    ? { kind: 'told', value }
    : { kind: 'untold', why: refusal.message, code: refusal.code };
}

/** Outcome of a question, judged by how its command ended. Pure. HO-02 */
export function judgeTold(
  name: string,
  end: FarEnd & { readonly isLate: boolean },
  told: string,
): FarTold {
  const value = end.fault === undefined && !end.isLate ? parsedJson(told) : undefined;
  return value === undefined
    ? { kind: 'untold', why: whyNoWord(name, end).why }
    : judgeValue(value);
}
