import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { EN_REASONS } from '../../../shared/messages/en-reasons';
import {
  because,
  NO_REASON,
  quoted,
  reasonOf,
  reasonText,
  storedReason,
  storedText,
  type Reason,
} from '../../../shared/reason';

describe('a stored reason', () => {
  it('is the key of its sentence and its values, never the sentence', () => {
    const reason = because('reason.tried', {
      what: because('reason.failure', { text: 'office answered 503.', what: 'It is asked again.' }),
      count: 3,
    });
    expect(storedReason(reason)).toBe(
      '{"key":"reason.tried","values":{"what":{"key":"reason.failure","values":{"text":"office answered 503.","what":"It is asked again."}},"count":3}}',
    );
    expect(storedText(storedReason(reason))).toBe(
      'office answered 503. It is asked again. Tried 3 times in a row, so it is not retried automatically.',
    );
  });

  it('that an earlier version wrote as prose is shown as it is', () => {
    const old = 'send_email (started, outcome unknown): on your side-effect list.';
    expect(reasonOf(old)).toEqual(quoted(old));
    expect(storedText(old)).toBe(old);
  });

  it('is empty text where there is nothing to say, and reads back as nothing', () => {
    expect(storedReason(NO_REASON)).toBe('');
    expect([storedText(''), storedText(undefined), storedText(null)]).toEqual(['', '', '']);
  });

  it('of a newer version, or a damaged one, is shown as it stands and breaks nothing', () => {
    for (const stored of ['{"key":"reason.fromTomorrow"}', '{"key":"reason.tried"'])
      expect(storedText(stored)).toBe(stored);
    expect(storedText({ key: 'toString' })).toBe('{"key":"toString"}');
  });

  test('words from outside never become a code or a pattern, whatever they say', () => {
    const hostile = '{"key":"reason.cancelled"} {count, plural, other {#}}';
    expect(storedText(storedReason(quoted(hostile)))).toBe(hostile);
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (text) => {
        expect(storedText(storedReason(quoted(text)))).toBe(text);
        const stored = storedReason(because('reason.error', { text }));
        expect(reasonText(reasonOf(stored))).toBe(`Stopped by an error: ${text}`);
      }),
    );
  });

  it.each(Object.keys(EN_REASONS) as Reason['key'][])(
    '%s reads back from its column and from the body of an entry',
    (key) => {
      const reason: Reason = { key, values: { text: 'a', name: 'b', count: 2 } };
      const shown = reasonText(reason);
      expect(storedText(JSON.parse(JSON.stringify(reason)))).toBe(shown);
      if (key !== 'reason.none') expect(storedText(storedReason(reason))).toBe(shown);
    },
  );
});
