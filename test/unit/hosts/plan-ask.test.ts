import { describe, expect, it } from 'vitest';
import { judgeTold } from '../../../electron/engine/hosts/plan-ask';

const end = { code: 0, lastWords: '', isLate: false };
const gone = 'The connection to box ended before it responded';

describe('what came of a question to a host', () => {
  it.each([
    ['what it said', '{"sessions":[]}', end, { kind: 'told', value: { sessions: [] } }],
    [
      'its refusal, in its words, whatever its exit code',
      '{"error":{"code":"NOT_RUNNING","message":"It is\\nnot running."}}',
      { ...end, code: 4 },
      { kind: 'untold', why: 'It is not running.', code: 'NOT_RUNNING' },
    ],
    [
      'that it was slow, and not half of what it said',
      '{"sessions":[]}',
      { ...end, code: null, isLate: true },
      { kind: 'untold', why: 'box did not respond in time.' },
    ],
    [
      'that it was too much',
      '[',
      { ...end, code: null, fault: 'too_much' as const },
      { kind: 'untold', why: 'box sent too much data.' },
    ],
    [
      'that there is no ssh',
      '',
      { ...end, code: null, fault: 'no_ssh' as const },
      { kind: 'untold', why: 'There is no ssh on this computer.' },
    ],
    [
      'that it has no Holdfast',
      '',
      { ...end, code: 127 },
      { kind: 'untold', why: 'box has no Holdfast on its PATH.' },
    ],
    [
      'the last words of ssh',
      'Welcome',
      { ...end, code: 255, lastWords: 'one\nConnection reset\u0007\n' },
      { kind: 'untold', why: `${gone}: Connection reset` },
    ],
    ['an end without a word', '', { ...end, code: 255 }, { kind: 'untold', why: `${gone}.` }],
  ])('HO-02 is %s', (_, told, ended, outcome) => {
    expect(judgeTold('box', ended, told)).toEqual(outcome);
  });
});
