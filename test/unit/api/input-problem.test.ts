import { expect, it } from 'vitest';
import { z } from 'zod';
import { inputProblem } from '../../../electron/engine/api/input-problem';
import { VERBS } from '../../../shared/contract';

const schema = z.strictObject({
  words: z.string().min(1).max(200),
  channel: z.strictObject({ from: z.string() }).optional(),
  limit: z.number().int().min(1).max(500).optional(),
  kinds: z
    .array(z.enum(['turn', 'step']))
    .max(2)
    .optional(),
});

it.each([
  [{ words: '' }, '"words" is empty.'],
  [{}, '"words" is missing.'],
  [{ words: 'x'.repeat(201) }, '"words" has more than 200 characters.'],
  [{ words: 7 }, '"words" is not text.'],
  [{ words: 'x', channel: {} }, '"channel.from" is missing.'],
  [{ words: 'x', limit: 0 }, '"limit" is less than 1.'],
  [{ words: 'x', limit: 1.5 }, '"limit" is not a whole number.'],
  [{ words: 'x', kinds: ['turn', 'turn', 'step'] }, '"kinds" has more than 2 entries.'],
  [{ words: 'x', kinds: ['secret'] }, '"kinds.0" is not one of: turn, step.'],
  [{ words: 'x', more: 1 }, 'The input of search.find has unknown fields: more.'],
])('S3-15 says of %j: %s', (input, sentence) => {
  const parsed = schema.safeParse(input);
  expect(inputProblem('search.find', parsed.error?.issues[0])).toBe(sentence);
});

it('says nothing of what a refused field holds, for any verb and any wrong kind of input', () => {
  for (const [verb, spec] of Object.entries(VERBS))
    for (const wrong of [
      undefined,
      null,
      7,
      'sk-secret-4711',
      ['sk-secret-4711'],
      { x: 'sk-secret-4711' },
    ]) {
      const parsed = spec.input().safeParse(wrong);
      if (parsed.success) continue;
      const sentence = inputProblem(verb, parsed.error.issues[0]);
      expect(sentence).not.toContain('sk-secret');
      expect(sentence).toMatch(/^("[\w.]+"|The input of \S+) .+[^.]\.$/);
    }
});
