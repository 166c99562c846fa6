import { z } from 'zod';
import type { FarEnd } from '../../ports/far-hosts';
import { plainLine } from './plan-link';

/** How `ssh` ends where a shell has no such program. */
const NO_PROGRAM = 127;

/** What came of a question. */
export type FarTold =
  | { readonly kind: 'told'; readonly value: unknown }
  | {
      readonly kind: 'untold';
      readonly why: string;
      /** Where the Holdfast there refused. */
      readonly code?: string;
    };

const refused = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

/** A refusal of the Holdfast there; undefined: it is none. Pure. */
export function refusalOf(
  value: unknown,
): { readonly code: string; readonly message: string } | undefined {
  const read = refused.safeParse(value);
  return read.success
    ? { code: read.data.error.code, message: plainLine(read.data.error.message) }
    : undefined;
}

/** What a host said, as JSON; undefined: it is none. Pure. */
export const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Why nothing came back that can be read. `isSure`: no Holdfast there has seen the command. Pure. HO-02 */
export function whyNoWord(
  name: string,
  end: FarEnd & { readonly isLate: boolean },
): { readonly why: string; readonly isSure: boolean } {
  if (end.fault === 'no_ssh') return { why: 'There is no ssh on this computer.', isSure: true };
  if (end.isLate) return { why: `${name} did not respond in time.`, isSure: false };
  if (end.code === NO_PROGRAM) return { why: `${name} has no Holdfast on its PATH.`, isSure: true };
  if (end.fault === 'too_much') return { why: `${name} sent more than is read.`, isSure: false };
  const words = plainLine(end.lastWords.trim().split('\n').at(-1) ?? '');
  const ended = `The connection to ${name} ended before it responded`;
  return { why: words === '' ? `${ended}.` : `${ended}: ${words}`, isSure: false };
}

/** The connection ended first. Pure. HO-02 */
export const noWord = (name: string): FarTold => ({
  kind: 'untold',
  why: `The connection to ${name} ended before it responded.`,
});

/** What an answer says: what was asked for, or that it was refused. Pure. HO-02 */
export function judgeValue(value: unknown): FarTold {
  const refusal = refusalOf(value);
  return refusal === undefined
    ? { kind: 'told', value }
    : { kind: 'untold', why: refusal.message, code: refusal.code };
}

/** What the end of a question says. Pure. HO-02 */
export function judgeTold(
  name: string,
  end: FarEnd & { readonly isLate: boolean },
  told: string,
): FarTold {
  const value = end.fault === undefined && !end.isLate ? readJson(told) : undefined;
  return value === undefined
    ? { kind: 'untold', why: whyNoWord(name, end).why }
    : judgeValue(value);
}
