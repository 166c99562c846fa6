/** Skills and their runs. */
import { z } from 'zod';
import { exactObject } from '../exact-object';
import { runDiscardPreview, runPlan, runView, skillView } from '../types';
import { CONFIRMED, QUERY, hash, limit, type VerbSpec } from './base';

export const SKILL_VERBS = {
  'skills.list': {
    ...QUERY,
    input: exactObject(() => ({ agent: z.string().min(1).max(64).optional() })),
    output: exactObject(() => ({
      skills: z.array(skillView),
      /** Stored but without effect: policies of missing skills, broken files. */
      hints: z.array(z.string().max(500)),
    })),
    about: 'List the skills of an agent, read from disk now, with the reason for each skipped one',
  },
  'skills.show': {
    ...QUERY,
    input: exactObject(() => ({
      name: z.string().min(1).max(64),
      agent: z.string().min(1).max(64).optional(),
    })),
    output: exactObject(() => ({
      skill: skillView,
      instructions: z.string().max(100_000),
      tools: z.array(z.string().max(128)).optional(),
      /** What a resume does with a step of it whose outcome is unknown. */
      policy: z.enum(['retry', 'skip', 'discard_skill', 'prompt']),
    })),
    about: 'One skill with its instructions and phases',
  },
  'runs.list': {
    ...QUERY,
    input: exactObject(() => ({ includeEnded: z.boolean().optional(), limit: limit.optional() })),
    output: exactObject(() => ({ runs: z.array(runView) })),
    about: 'List skill runs in progress, newest first',
  },
  'runs.show': {
    ...QUERY,
    input: exactObject(() => ({ runId: z.number().int().positive() })),
    output: () => runView,
    about: 'One skill run: phase, passes, history, what it is waiting for',
  },
  'runs.plan': {
    ...QUERY,
    input: exactObject(() => ({ runId: z.number().int().positive() })),
    output: () => runPlan,
    about: 'What a resume of this skill run would reuse, re-read and run',
  },
  'runs.discard': {
    ...CONFIRMED,
    input: exactObject(() => ({
      runId: z.number().int().positive(),
      /** Hash from the preview; without it only the preview is returned. */
      requestHash: hash.optional(),
    })),
    output: exactObject(() => ({
      isDone: z.boolean(),
      preview: runDiscardPreview,
      run: runView.optional(),
    })),
    about: 'End a skill run and everything it started; its caller gets an error, its files stay',
  },
} as const satisfies Record<string, VerbSpec>;
