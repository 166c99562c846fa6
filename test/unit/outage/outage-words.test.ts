import { reasonText } from '../../../shared/reason';
import { describe, expect, it } from 'vitest';
import { newRecord } from '../../../electron/engine/outage/plan-outage';
import {
  declaredNotice,
  keyNotice,
  providerSentence,
  resolvedNotice,
  waitReason,
} from '../../../electron/engine/outage/describe-outage';
import type { ProviderRecord } from '../../../electron/ports/journal/outage';
import { HELD_CAUSES } from '../../../shared/types/outage';
import { providerTitle } from '../../../shared/provider-title';

const time = (atMs: number): string => `T${String(atMs)}`;

describe('the name of a provider in the sentences about it', () => {
  it.each(['openai', 'lmstudio', 'office'])(
    'S0-17 %s is written as windows and the tray write it',
    (provider) => {
      const name = providerTitle(provider);
      const record = newRecord(provider);
      const facts = { record, waiting: 2, failedCalls: 0, time, nowMs: 0, nextTryAtMs: undefined };
      const said = [
        providerSentence({ ...facts, state: 'answering', threshold: 3 }),
        providerSentence({ ...facts, state: 'quota', threshold: 3 }),
        declaredNotice(facts).title,
        resolvedNotice({ provider, downMs: 1_000, drained: 1 }).title,
        keyNotice(record).title,
        ...HELD_CAUSES.map((cause) => reasonText(waitReason({ cause, record, untilMs: 5, time }))),
      ];
      for (const text of said) expect(text).toContain(name);
    },
  );

  it('S0-17 notices name an external agent as people read it', () => {
    const agentTitle = (agent: string): string => (agent === 'mender' ? 'Repo mender' : agent);
    const provider = 'agent.mender';
    const record = newRecord(provider);
    const facts = { record, waiting: 2, time, nextTryAtMs: undefined, agentTitle };
    expect(declaredNotice(facts).title).toContain('Repo mender');
    expect(resolvedNotice({ provider, downMs: 1_000, drained: 1, agentTitle }).title).toContain(
      'Repo mender',
    );
  });

  it.each([
    [4, 'Anthropic down since 14:02, next check 14:20, 4 turns wait.'],
    [1, 'Anthropic down since 14:02, next check 14:20, 1 turn waits.'],
    [0, 'Anthropic down since 14:02, next check 14:20.'],
  ])('S0-17 of one that is down, with %i waiting: %s', (waiting, sentence) => {
    const record: ProviderRecord = {
      ...newRecord('anthropic'),
      failedTurns: 3,
      standing: { kind: 'down', outageId: 1, sinceMs: 2 },
    };
    const facts = { record, waiting, threshold: 3, failedCalls: 3, nowMs: 0, nextTryAtMs: 20 };
    const clock = (minute: number): string => `14:${String(minute).padStart(2, '0')}`;
    expect(providerSentence({ ...facts, state: 'down', time: clock })).toBe(sentence);
  });

  it.each([
    [3, 'Agent claude: 3 turns continue at 20:01 (in 2 h 10 min).'],
    [1, 'Agent claude: 1 turn continues at 20:01 (in 2 h 10 min).'],
    [0, 'The usage limit of Agent claude resets at 20:01.'],
  ])('LM-10 of one at its usage limit, with %i waiting: %s', (waiting, sentence) => {
    const nowMs = 1_000;
    const untilMs = nowMs + 130 * 60_000;
    const record: ProviderRecord = {
      ...newRecord('agent.claude'),
      standing: { kind: 'quota', cause: 'quota', untilMs, sinceMs: 0 },
    };
    const facts = { record, waiting, threshold: 3, failedCalls: 0, nowMs, nextTryAtMs: untilMs };
    expect(providerSentence({ ...facts, state: 'quota', time: () => '20:01' })).toBe(sentence);
  });

  it('S0-17 a notice says 1 turn, and 3 turns in a row', () => {
    const said = (failedTurns: number): string =>
      declaredNotice({
        record: { ...newRecord('office'), failedTurns },
        waiting: 0,
        time,
        nextTryAtMs: undefined,
      }).detail.slice(0, 32);
    expect([1, 3].map(said)).toEqual([
      '1 turn failed: no answer New tur',
      '3 turns in a row failed: no answ',
    ]);
  });

  it('R4 the key of the settings is named as it stands there', () => {
    expect(keyNotice(newRecord('openai')).detail).toContain('the API key of providers.openai');
  });
});
