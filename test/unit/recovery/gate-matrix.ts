import type { ResumePlan } from '../../../shared/types';

export const MODES = ['never', 'safe_only', 'always'] as const;

type Case = readonly [
  mode: (typeof MODES)[number],
  policy: 'retry' | 'skip' | 'discard_skill',
  listed: 'listed' | 'unlisted',
  outcome: 'finished' | 'ambiguous',
  turn: ResumePlan['action'],
  step: ResumePlan['steps'][number]['action'],
];

/** X-04 written out: the turn gate, then the step policy. */
export const MATRIX: readonly Case[] = [
  ['never', 'retry', 'listed', 'finished', 'hold', 'reuse'],
  ['never', 'retry', 'listed', 'ambiguous', 'hold', 'ask'],
  ['never', 'retry', 'unlisted', 'finished', 'hold', 'reuse'],
  ['never', 'retry', 'unlisted', 'ambiguous', 'hold', 'ask'],
  ['never', 'skip', 'listed', 'finished', 'hold', 'reuse'],
  ['never', 'skip', 'listed', 'ambiguous', 'hold', 'skip'],
  ['never', 'skip', 'unlisted', 'finished', 'hold', 'reuse'],
  ['never', 'skip', 'unlisted', 'ambiguous', 'hold', 'skip'],
  ['never', 'discard_skill', 'listed', 'finished', 'hold', 'reuse'],
  ['never', 'discard_skill', 'listed', 'ambiguous', 'hold', 'ask'],
  ['never', 'discard_skill', 'unlisted', 'finished', 'hold', 'reuse'],
  ['never', 'discard_skill', 'unlisted', 'ambiguous', 'hold', 'ask'],
  ['safe_only', 'retry', 'listed', 'finished', 'hold', 'reuse'],
  ['safe_only', 'retry', 'listed', 'ambiguous', 'hold', 'ask'],
  ['safe_only', 'retry', 'unlisted', 'finished', 'resume', 'reuse'],
  ['safe_only', 'retry', 'unlisted', 'ambiguous', 'resume', 'ask'],
  ['safe_only', 'skip', 'listed', 'finished', 'hold', 'reuse'],
  ['safe_only', 'skip', 'listed', 'ambiguous', 'hold', 'skip'],
  ['safe_only', 'skip', 'unlisted', 'finished', 'resume', 'reuse'],
  ['safe_only', 'skip', 'unlisted', 'ambiguous', 'resume', 'skip'],
  ['safe_only', 'discard_skill', 'listed', 'finished', 'hold', 'reuse'],
  ['safe_only', 'discard_skill', 'listed', 'ambiguous', 'hold', 'ask'],
  ['safe_only', 'discard_skill', 'unlisted', 'finished', 'resume', 'reuse'],
  ['safe_only', 'discard_skill', 'unlisted', 'ambiguous', 'discard', 'ask'],
  ['always', 'retry', 'listed', 'finished', 'resume', 'reuse'],
  ['always', 'retry', 'listed', 'ambiguous', 'resume', 'ask'],
  ['always', 'retry', 'unlisted', 'finished', 'resume', 'reuse'],
  ['always', 'retry', 'unlisted', 'ambiguous', 'resume', 'ask'],
  ['always', 'skip', 'listed', 'finished', 'resume', 'reuse'],
  ['always', 'skip', 'listed', 'ambiguous', 'resume', 'skip'],
  ['always', 'skip', 'unlisted', 'finished', 'resume', 'reuse'],
  ['always', 'skip', 'unlisted', 'ambiguous', 'resume', 'skip'],
  ['always', 'discard_skill', 'listed', 'finished', 'resume', 'reuse'],
  ['always', 'discard_skill', 'listed', 'ambiguous', 'discard', 'ask'],
  ['always', 'discard_skill', 'unlisted', 'finished', 'resume', 'reuse'],
  ['always', 'discard_skill', 'unlisted', 'ambiguous', 'discard', 'ask'],
];
