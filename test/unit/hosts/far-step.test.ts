import { describe, expect, it } from 'vitest';
import { readFarStep } from '../../../shared/far-step';
import { hostStep } from '../../../shared/types';
import { farStep } from '../../helpers/far-asks';

const asked = { turnId: 9, step: 2 };
const read = (more: object = {}) => {
  const told = readFarStep({ ...farStep, ...more }, asked);
  if (told !== undefined) hostStep().parse(told);
  return told?.step;
};

describe('a step that another computer tells', () => {
  it('HO-02 is read with its texts, and without what this version does not know', () => {
    expect(read({ mood: 'good', purity: 'a later word', state: 'a later word' })).toEqual(farStep);
  });

  it.each([
    ['nothing', undefined],
    ['a list', []],
    ['another turn', { ...farStep, turnId: 8 }],
    ['another step', { ...farStep, index: 1 }],
    ['a result that is no text', { ...farStep, result: { text: 'x' } }],
    ['no start', { ...farStep, startedAtMs: undefined }],
  ])('HO-02 %s is none', (_, value) => {
    expect(readFarStep(value, asked)).toBeUndefined();
  });

  it.each(['args', 'result'] as const)(
    'HO-03 %s of 5,000,000 characters are cut to 4,000, and it says that there is more',
    (part) => {
      const step = read({ [part]: 'x'.repeat(5_000_000) });
      expect(step?.[part]).toHaveLength(4_000);
      expect(step?.isTruncated).toBe(true);
    },
  );

  it('HO-03 a long error keeps its beginning, what is printed so far its end, a name its line', () => {
    const step = read({
      error: `No.${'x'.repeat(9_000)}`,
      output: `${'x'.repeat(9_000)}last`,
      tool: 'shell\n\u202eevil',
      approvedBy: { by: 'me' },
    });
    expect(step?.error).toMatch(/^No\.x{1997}$/);
    expect(step?.output).toMatch(/^x{3996}last$/);
    expect(step?.tool).toBe('shell evil');
    expect(step).not.toHaveProperty('approvedBy');
  });
});
