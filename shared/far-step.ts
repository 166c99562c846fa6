/**
 * Reads a step from another computer: bounded, whichever version wrote it. Its texts are shown by
 * the components for this computer's tools, whose texts are equally untrusted. Pure. HO-02, HO-03
 */
import { z } from 'zod';
import { line } from './far-text';
import { once } from './once';
import { atMs, id } from './types/base';
import { MAX_STEP_CHARS, type HostStep } from './types/far-step';

const readable = once(() =>
  z.object({
    turnId: id,
    index: z.number().int().positive(),
    tool: line(200),
    startedAtMs: atMs,
    endedAtMs: atMs.optional().catch(undefined),
    args: z.string().optional(),
    result: z.string().optional(),
    isTruncated: z.boolean().catch(false),
    error: z.string().optional(),
    output: z.string().optional(),
    approvedBy: line(64).optional().catch(undefined),
  }),
);

/** Reads a step; undefined if it is not the requested one. */
export function readFarStep(
  value: unknown,
  asked: { readonly turnId: number; readonly step: number },
): Extract<HostStep, { kind: 'told' }> | undefined {
  const read = readable().safeParse(value);
  if (!read.success || read.data.turnId !== asked.turnId || read.data.index !== asked.step)
    return undefined;
  const { args, result, error, output, isTruncated, endedAtMs, approvedBy, ...rest } = read.data;
  const isLonger = (text: string | undefined): boolean => (text?.length ?? 0) > MAX_STEP_CHARS;
  return {
    kind: 'told',
    step: {
      ...rest,
      isTruncated: isTruncated || isLonger(args) || isLonger(result),
      ...start('args', args, MAX_STEP_CHARS),
      ...start('result', result, MAX_STEP_CHARS),
      ...start('error', error, 2_000),
      // The end of it is what is new.
      ...(output === undefined ? {} : { output: output.slice(-MAX_STEP_CHARS) }),
      ...(endedAtMs === undefined ? {} : { endedAtMs }),
      ...(approvedBy === undefined ? {} : { approvedBy }),
    },
  };
}

const start = <K extends string>(
  name: K,
  text: string | undefined,
  most: number,
): { readonly [key in K]?: string } =>
  text === undefined ? {} : ({ [name]: text.slice(0, most) } as { readonly [key in K]: string });
