/** Skills and their runs. */
import { z } from 'zod';
import { once } from '../once';
import { runDiscardPreview, runPlan, runView, skillView } from '../types';
import { hash, limit, type VerbSpec } from './base';

export const SKILL_VERBS = {
  'skills.list': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: once(() => z.strictObject({ agent: z.string().min(1).max(64).optional() })),
    output: once(() =>
      z.strictObject({
        skills: z.array(skillView),
        /** Stored but without effect: policies of missing skills, broken files. */
        hints: z.array(z.string().max(500)),
      }),
    ),
    about: 'List the skills of an agent, read from disk now, with the reason for each skipped one',
  },
  'skills.show': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: once(() =>
      z.strictObject({
        name: z.string().min(1).max(64),
        agent: z.string().min(1).max(64).optional(),
      }),
    ),
    output: once(() =>
      z.strictObject({
        skill: skillView,
        instructions: z.string().max(100_000),
        tools: z.array(z.string().max(128)).optional(),
        /** What a resume does with a step of it whose outcome is unknown. */
        policy: z.enum(['retry', 'skip', 'discard_skill', 'prompt']),
      }),
    ),
    about: 'One skill with its instructions and phases',
  },
  'runs.list': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: once(() =>
      z.strictObject({ includeEnded: z.boolean().optional(), limit: limit.optional() }),
    ),
    output: once(() => z.strictObject({ runs: z.array(runView) })),
    about: 'List skill runs in progress, newest first',
  },
  'runs.show': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: once(() => z.strictObject({ runId: z.number().int().positive() })),
    output: () => runView,
    about: 'One skill run: phase, passes, history, what it is waiting for',
  },
  'runs.plan': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: once(() => z.strictObject({ runId: z.number().int().positive() })),
    output: () => runPlan,
    about: 'What a resume of this skill run would reuse, re-read and run',
  },
  'runs.discard': {
    kind: 'command',
    danger: 'confirm',
    surface: 'all',
    input: once(() =>
      z.strictObject({
        runId: z.number().int().positive(),
        /** Hash from the preview; without it only the preview is returned. */
        requestHash: hash.optional(),
      }),
    ),
    output: once(() =>
      z.strictObject({
        isDone: z.boolean(),
        preview: runDiscardPreview,
        run: runView.optional(),
      }),
    ),
    about: 'End a skill run and everything it started; its caller gets an error, its files stay',
  },
} as const satisfies Record<string, VerbSpec>;
