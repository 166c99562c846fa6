import { describe, expect, it } from 'vitest';
import { newRecord } from '../../../electron/engine/outage/outage-model';
import {
  declaredNotice,
  keyNotice,
  providerSentence,
  resolvedNotice,
  waitReason,
} from '../../../electron/engine/outage/outage-words';
import { HELD_CAUSES } from '../../../shared/model/outage';
import { providerTitle } from '../../../shared/provider-title';

const time = (atMs: number): string => `T${String(atMs)}`;

describe('the name of a provider in the sentences about it', () => {
  it.each(['openai', 'lmstudio', 'office'])(
    'S0-17 %s is written as windows and the tray write it',
    (provider) => {
      const name = providerTitle(provider);
      const record = newRecord(provider);
      const facts = { record, waiting: 2, failedCalls: 0, time, nextTryAtMs: undefined };
      const said = [
        providerSentence({ ...facts, state: 'answering', threshold: 3 }),
        providerSentence({ ...facts, state: 'quota', threshold: 3 }),
        declaredNotice(facts).title,
        resolvedNotice({ provider, downMs: 1_000, drained: 1 }).title,
        keyNotice(record).title,
        ...HELD_CAUSES.map((cause) => waitReason({ cause, record, untilMs: 5, time })),
      ];
      for (const text of said) expect(text).toContain(name);
    },
  );

  it('S0-17 a notice says 1 turn, and 3 turns in a row', () => {
    const said = (failedTurns: number): string =>
      declaredNotice({
        record: { ...newRecord('office'), failedTurns },
        waiting: 0,
        time,
        nextTryAtMs: undefined,
      }).detail.slice(0, 32);
    expect([1, 3].map(said)).toEqual([
      '1 turn failed by it: no answer N',
      '3 turns in a row failed by it: n',
    ]);
  });

  it('R4 the key of the settings is named as it stands there', () => {
    expect(keyNotice(newRecord('openai')).detail).toContain('the key of providers.openai');
  });
});
