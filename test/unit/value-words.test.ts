import { describe, expect, it } from 'vitest';
import { diagnosticsText } from '../../shared/diagnostics';
import { valueWords } from '../../shared/value-words';

describe('values that scripts read', () => {
  it.each([
    ['data folder', 'data directory'],
    ['open turns', 'unfinished turns'],
    ['recorded as done', 'marked as done'],
    ['marked as done', 'marked as done'],
    ['skipped', 'skipped'],
    ['constructor', 'constructor'],
  ])('"%s" is shown as "%s"', (value, words) => {
    expect(valueWords(value)).toBe(words);
  });

  it('are words in the report of diagnostics', () => {
    const check = { name: 'open turns', ok: true, level: 'ok', detail: '2 interrupted' } as const;
    const text = diagnosticsText({ version: '0.1.0', ok: true, checks: [check] });
    expect(text).toContain('unfinished turns: 2 interrupted');
    expect(text).not.toContain('open turns');
  });
});
