import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { decodeEntry, KIND_CODES } from '../../../electron/adapters/sqlite/journal/entry-codec';
import {
  describeAuditLine,
  describeEntry,
  hideSecrets,
} from '../../../electron/engine/history/describe';
import type { EntryKind } from '../../../electron/ports/journal/entries';
import { eventDetail, eventLook, eventText } from '../../../renderer/events/events-view';
import { localClocks } from '../../../renderer/parts/time-view';
import { historyEvent } from '../../../shared/types';
import { sentenceText, setCatalogueLocale } from '../../../shared/messages';

const ELECTRON = fileURLToPath(new URL('../../../electron/', import.meta.url));
const KINDS = Object.keys(KIND_CODES) as EntryKind[];
/** A row of this kind with these fields alone, as it is read from the disk. */
const row = (kind: EntryKind | undefined, body: Record<string, unknown> = {}) => ({
  entry: decodeEntry({
    seq: 1,
    at_ms: 0,
    kind: kind === undefined ? 9999 : KIND_CODES[kind],
    turn_id: 7,
    step: 2,
    key: null,
    body: JSON.stringify(body),
  }),
  turnId: 7,
  step: 2,
  started: undefined,
});
const asSent = (words: ReturnType<typeof describeEntry>) =>
  historyEvent.parse({ id: 'j1', atMs: 0, ...words });

afterEach(() => setCatalogueLocale('en'));

describe('the words of an event', () => {
  it.each(KINDS)('S3-32 %s has words of its own, that a window says in its language', (kind) => {
    const event = asSent(describeEntry(row(kind)));
    expect(event.words).not.toBe('');
    expect(event.words).not.toBe(describeEntry(row(undefined)).words);
    // But for the times of day, which a window says as the person writes them.
    expect(eventText(event)).toBe(localClocks(event.words));
    setCatalogueLocale('pseudo');
    expect(eventText(event)).toMatch(/^\[.*\]$/s);
    expect(eventText(event)).not.toBe(event.words);
  });

  it('S3-32 a step whose damaged row lacks the name of its tool is one of an unknown tool', () => {
    const { words } = describeEntry(row('step.started'));
    expect(words).toContain('unknown tool');
    expect(words).not.toContain('undefined');
  });

  it('S3-32 every line that the audit gets from the code has words of its own', () => {
    const names = new Set<string>();
    const files = readdirSync(ELECTRON, { recursive: true, encoding: 'utf8' });
    for (const file of files.filter((one) => one.endsWith('.ts'))) {
      const source = readFileSync(join(ELECTRON, file), 'utf8');
      for (const [, name = ''] of source.matchAll(/audit(?:\(\)|\))?\??\.record\(\s*'([\w.]+)'/g))
        names.add(name);
    }
    expect(names.size).toBeGreaterThan(60);
    const bare = [...names].filter(
      (event) => describeAuditLine({ event, facts: {} } as never).sentence === undefined,
    );
    expect(bare).toEqual([]);
  });

  it.each([
    [
      'step',
      { step: 4, tool: 'files.write_file', state: 'completed' },
      'Step 4 completed: write_file',
    ],
    ['step', { step: 2, tool: 'model', state: 'ambiguous' }, 'Step 2, outcome unknown: model'],
    ['turn_ended', { turnId: 7, state: 'failed' }, 'Turn 7 failed'],
    ['setting_changed', { key: 'app.theme', by: 'window' }, 'Setting changed: Appearance'],
    ['setting_changed', { key: 'of.tomorrow', by: 'window' }, 'Setting changed: of.tomorrow'],
    [
      'decision_recorded',
      { turnId: 7, answer: 'raise_limit' },
      'Decision about turn 7: raise the limit',
    ],
    [
      'event',
      { topic: 'holdfast.turn.completed' },
      'Event turn.completed was saved; no broker is set up',
    ],
    [
      'breaker_moved',
      { name: 'provider.lm-studio', from: 'closed', to: 'open' },
      'Circuit breaker for LM Studio opened: requests wait for a probe',
    ],
    [
      'breaker_moved',
      { name: 'channel.phone', from: 'open', to: 'closed' },
      'Circuit breaker for channel phone closed: requests go through',
    ],
  ])('S3-32 the audit says %s %j as %s', (event, facts, words) => {
    const line = { event, facts, atMs: 0, place: { month: '2026-03', byte: 1 } };
    expect(asSent(describeAuditLine(line as never)).words).toBe(words);
  });

  it.each([
    [3, 'line'],
    [0, 'ok'],
  ])(
    'S2-08 a breaker that stays closed with %i failures in a row is drawn as %s',
    (failures, tone) => {
      const event = asSent(
        describeEntry(
          row('breaker.moved', { name: 'nats', from: 'closed', state: 'closed', failures }),
        ),
      );
      expect(eventLook(event).tone).toBe(tone);
    },
  );

  it('S3-32 a message inside a message is said in the same language', () => {
    const event = asSent(describeEntry(row('step.started', { t: 'model', h: 'claude' })));
    setCatalogueLocale('pseudo');
    expect(eventText(event)).not.toContain('model');
    expect(eventText(event)).toContain('claude');
  });

  it('S1-32 why a task was skipped is said in it, too', () => {
    const event = asSent(
      describeEntry(row('task.skipped', { taskId: 3, why: 'overlap', missed: 1, lateMs: 0 })),
    );
    expect(eventDetail(event)).toBe(event.detail);
    setCatalogueLocale('pseudo');
    expect(eventDetail(event)).toMatch(/^\[.*\]$/s);
  });

  it('S3-32 an event of the audit that has no words shows its name, in each language', () => {
    const line = { event: 'odd_thing', facts: {}, atMs: 0, place: { month: '2026-03', byte: 1 } };
    const event = asSent(describeAuditLine(line as Parameters<typeof describeAuditLine>[0]));
    setCatalogueLocale('pseudo');
    expect(eventText(event)).toBe('odd thing');
  });

  it('S3-32 a message that this window does not have is read in the words of main', () => {
    const event = { words: 'Something new', sentence: { key: 'event.of.tomorrow' } };
    expect(eventText(event)).toBe('Something new');
  });

  it('S2-30 hides a secret in the values as in the words, and hands on no sentence that shows more', () => {
    const raw = describeEntry(row('message.accepted', { promptStart: 'Use hunter2 for it' }));
    const hide = (text: string): string => text.replaceAll('hunter2', '[redacted]');
    const shown = hideSecrets(raw, hide);
    expect(JSON.stringify(shown)).not.toContain('hunter2');
    expect(shown.sentence && sentenceText(shown.sentence)).toBe(shown.words);
    // Seen in the whole sentence alone.
    const whole = (text: string): string =>
      text.includes('accepted: Use') ? 'Prompt accepted: [redacted]' : text;
    expect(hideSecrets(raw, whole)).toMatchObject({ words: 'Prompt accepted: [redacted]' });
    expect(hideSecrets(raw, whole).sentence).toBeUndefined();
  });
});
