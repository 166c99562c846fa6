import { describe, expect, it } from 'vitest';
import { judgeAnswered, judgeBefore } from '../../../electron/engine/hosts/plan-answer';
import { farOutcome, type FarAnswer } from '../../../shared/types';
import { farCall, farTurn } from '../../helpers/far-asks';

const waiting = { asks: [farCall, farTurn], hidden: 0, others: 0 };
const [A, B] = [farCall.requestHash, farTurn.requestHash];

describe('what is sent to a host', () => {
  it.each([
    ['a call', A, { kind: 'allow', requestId: 12, scope: 'once' }],
    ['a turn', B, { kind: 'resume', turnId: 8 }],
    ['its unknown step', B, { kind: 'skip', turnId: 8, step: 3 }],
  ] as const)('HO-02 an answer to %s as it was told', (_, requestHash, answer) => {
    expect(judgeBefore('box', { waiting }, { requestHash, answer })).toBeUndefined();
  });

  it.each([
    ['another hash', B, { kind: 'deny', requestId: 12 }],
    ['another call', A, { kind: 'deny', requestId: 13 }],
    ['another turn', B, { kind: 'discard', turnId: 7 }],
    ['a step that is known', B, { kind: 'confirm', turnId: 8, step: 2 }],
    ['the turn of a call', A, { kind: 'resume', turnId: 7 }],
    ['the call of a turn', B, { kind: 'allow', requestId: 8, scope: 'once' }],
  ] as const)('HO-02 nothing that is about %s', (_, requestHash, answer: FarAnswer) => {
    expect(judgeBefore('box', { waiting }, { requestHash, answer })).toEqual({
      outcome: 'not_counted',
      why: 'Nothing was sent: this request on box was answered or has changed.',
    });
  });

  it('HO-02 nothing while it is not known what waits there', () => {
    const decision = { requestHash: A, answer: { kind: 'deny', requestId: 12 } } as const;
    expect(judgeBefore('box', { waiting: undefined }, decision)?.outcome).toBe('not_counted');
  });
});

describe('what came of an answer', () => {
  const end = { code: 0, lastWords: '', isLate: false };
  const refusal = (code: string, message = 'No.') => JSON.stringify({ error: { code, message } });
  it.each([
    ['it says so', end, '{"counted":true,"isRunning":true,"more":1}', 'counted', ''],
    [
      'it says so and does not run',
      end,
      '{"counted":true,"isRunning":false}',
      'counted',
      'Holdfast is not running on box: it takes effect when it starts.',
    ],
    [
      'it was answered before',
      { ...end, code: 4 },
      refusal('REQUEST_ANSWERED'),
      'not_counted',
      'No.',
    ],
    ['it has changed', { ...end, code: 4 }, refusal('REQUEST_STALE'), 'not_counted', 'No.'],
    ['its turn is over', { ...end, code: 4 }, refusal('TURN_STATE'), 'not_counted', 'No.'],
    ['it does not understand', { ...end, code: 2 }, refusal('INPUT_INVALID'), 'not_counted', 'No.'],
    ['its disk failed on the way', { ...end, code: 4 }, refusal('DISK_FAILED'), 'unknown', 'No.'],
    ['a code that is not known here', { ...end, code: 1 }, refusal('DREAM'), 'unknown', 'No.'],
    [
      'nothing in time',
      { ...end, code: null, isLate: true },
      '',
      'unknown',
      'box did not respond in time.',
    ],
    [
      'a cut',
      { ...end, code: 255, lastWords: 'a\nConnection reset\n' },
      '',
      'unknown',
      'The connection to box ended before it responded: Connection reset',
    ],
    [
      'a cut in its word',
      { ...end, code: 255 },
      '{"counted":tr',
      'unknown',
      'The connection to box ended before it responded.',
    ],
    [
      'a success without a word',
      end,
      '',
      'unknown',
      'The connection to box ended before it responded.',
    ],
    [
      'a word that is none',
      end,
      '{"counted":"yes","isRunning":true}',
      'unknown',
      'The connection to box ended before it responded.',
    ],
    [
      'no program there',
      { ...end, code: 127 },
      '',
      'not_counted',
      'box has no Holdfast on its PATH.',
    ],
    [
      'no ssh here',
      { ...end, code: null, fault: 'no_ssh' },
      '',
      'not_counted',
      'There is no ssh on this computer.',
    ],
    [
      'a refusal that would steer',
      { ...end, code: 4 },
      refusal('TURN_STATE', `\u001b[2J\u202e${'x'.repeat(9_000)}`),
      'not_counted',
      `[2J ${'x'.repeat(236)}`,
    ],
  ] as const)('HO-02 %s', (_, ended, told, outcome, why) => {
    const judged = judgeAnswered('box', ended, told);
    expect(judged).toEqual({ outcome, why });
    farOutcome().parse(judged);
  });
});
