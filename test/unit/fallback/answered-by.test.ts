import { describe, expect, it } from 'vitest';
import { answererOf, backFrom } from '../../../electron/engine/status/answered-by';
import {
  questionMessage,
  readPress,
  type OpenQuestion,
} from '../../../electron/engine/replies/question-text';
import type { Fallback } from '../../../electron/ports/journal/outage';
import type { QuestionRules } from '../../../electron/ports/channel';
import { answeredSentence } from '../../../shared/answered-by';
import { sentenceText } from '../../../shared/messages';

const own = { provider: 'one', model: 'big' };
const other: Fallback = {
  provider: 'two',
  model: 'small',
  instead: own,
  cause: 'limit',
  sinceMs: 1,
  afterStep: 2,
  by: 'auto',
};
const third: Fallback = { ...other, provider: 'three', model: 'tiny', afterStep: 4 };

describe('FB-06 who answered', () => {
  it.each([
    [1, own],
    [2, own],
    [3, { provider: 'two', model: 'small' }],
    [5, { provider: 'three', model: 'tiny' }],
  ])('step %i is of %j', (step, answerer) => {
    expect(answererOf({ fallbacks: [other, third] }, own, step)).toEqual(answerer);
  });

  it('a turn without fallbacks is of the model of its frame, or of nobody known', () => {
    expect(answererOf({}, own, 1)).toEqual(own);
    expect(answererOf({}, undefined, 1)).toBeUndefined();
  });

  it('FB-04 a turn with its own model again says whom the turn before had', () => {
    expect(backFrom({}, { fallbacks: [other] })).toEqual({ provider: 'two', model: 'small' });
    expect(backFrom({ fallbacks: [other] }, { fallbacks: [other] })).toBeUndefined();
    expect(backFrom({}, {})).toBeUndefined();
    expect(backFrom({}, undefined)).toBeUndefined();
  });

  it.each([
    [
      { fallbacks: [other] },
      'Answered by two/small instead of one/big, which is at its usage limit',
    ],
    [
      { fallbacks: [other], endedAtMs: 9 },
      'Answered by two/small instead of one/big, which was at its usage limit',
    ],
    [
      { fallbacks: [{ ...other, cause: 'outage' as const }], endedAtMs: 9 },
      'Answered by two/small instead of one/big, which was down',
    ],
    [
      { backFrom: { provider: 'acp', model: '', agent: 'codex' } },
      'Answered by its own model again, after codex answered the turn before',
    ],
  ])('%j is said as: %s', (turn, sentence) => {
    const said = answeredSentence(turn);
    expect(said && sentenceText(said)).toBe(sentence);
  });

  it('says nothing of a turn that its own model answered', () => {
    expect(answeredSentence({})).toBeUndefined();
  });
});

describe('FB-02 the question on a channel', () => {
  const question: OpenQuestion = {
    kind: 'fallback',
    agent: 'main',
    to: 'two/small',
    hash: 'a'.repeat(64),
    hide: (text) => text,
    item: {
      id: 7,
      title: 'Continue the turns of "main" with two/small?',
      detail: 'one/big is down, and turns of main wait for it.',
      createdAtMs: 1,
    },
  };
  const rules = (calls: 'all' | 'none'): QuestionRules =>
    ({
      showsInput: false,
      decide: { people: ['p'], agents: {}, calls },
    }) as unknown as QuestionRules;

  it('has one button to continue and one to keep waiting, for those who may decide', () => {
    const { text, buttons } = questionMessage(question, rules('all'));
    expect(text).toContain('Continue the turns of "main" with two/small?');
    expect(buttons[0]?.map(({ label, data }) => [label, readPress(data)?.code])).toEqual([
      ['Continue with two/small', 'run'],
      ['Keep waiting', 'dismiss'],
    ]);
  });

  it('has no button to continue where nothing is decided', () => {
    const { text, buttons } = questionMessage(question, rules('none'));
    expect(buttons.flat().map(({ label }) => label)).not.toContain('Continue with two/small');
    expect(text).toContain('See it on your computer.');
  });
});
