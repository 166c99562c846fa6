import { afterEach, describe, expect, it } from 'vitest';
import { wantedLocale } from '../../../renderer/locale';
import {
  CATALOGUE,
  formatMessage,
  namesInMessage,
  pseudo,
  setCatalogueLocale,
  t,
} from '../../../shared/messages';

afterEach(() => setCatalogueLocale('en'));

describe('pseudo', () => {
  it.each([
    ['Settings', '[Šéţţîîîñĝš·]'],
    ['at {time}', '[åţ· {time}]'],
    [
      '{count, plural, one {# turn} other {# turns}}',
      '[{count, plural, one {# ţûûŕñ·} other {# ţûûŕñš·}}]',
    ],
    ['{kind, select, a {} other {x}}', '[{kind, select, a {} other {x}}]'],
  ])('writes %j as %j', (pattern, written) => {
    expect(pseudo(pattern)).toBe(written);
  });

  it('keeps the values and branches of every message, and makes each at least a third longer', () => {
    for (const pattern of Object.values(CATALOGUE)) {
      const written = pseudo(pattern);
      expect(namesInMessage(written)).toEqual(namesInMessage(pattern));
      const values = Object.fromEntries(namesInMessage(pattern).map((name) => [name, '2']));
      const plain = formatMessage(pattern, values);
      expect(formatMessage(written, values).length).toBeGreaterThanOrEqual(
        Math.floor(plain.replaceAll('2', '').length * 1.33),
      );
    }
  });

  it('is spoken by t() once it is chosen, and no longer after English is', () => {
    setCatalogueLocale('pseudo');
    expect(t('turn.steps', { count: 2 })).toBe('[2 šţéépš·]');
    setCatalogueLocale('en');
    expect(t('turn.steps', { count: 2 })).toBe('2 steps');
  });
});

describe('wantedLocale', () => {
  it.each([
    ['', null, 'en'],
    ['?locale=pseudo', null, 'pseudo'],
    ['', 'pseudo', 'pseudo'],
    ['?locale=en', 'pseudo', 'en'],
    ['?locale=xx', null, 'en'],
  ])('reads %j and a stored %j as %s', (search, stored, locale) => {
    expect(wantedLocale(search, stored)).toBe(locale);
  });
});
