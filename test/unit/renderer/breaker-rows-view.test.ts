import { expect, it } from 'vitest';
import {
  breakerRows,
  withBreaker,
  withBreakerField,
} from '../../../renderer/settings/breaker-rows-view';

const VALUE = {
  'provider.office': { failure_threshold: 9, max_backoff: '5m' },
  'agent.codex': { initial_backoff: 2000 },
};

it.each([
  ['nothing', undefined, []],
  ['a text', 'x', []],
  ['a list', [1], []],
  ['a damaged row', { a: 7 }, [['a', '', '', '', '']]],
  [
    'rows by name',
    VALUE,
    [
      ['agent.codex', '', '', '2000', ''],
      ['provider.office', '9', '', '', '5m'],
    ],
  ],
])('S2-12 exceptions of breakers from %s', (_words, value, rows) => {
  expect(
    breakerRows(value).map(({ name, fields }) => [
      name,
      fields.failure_threshold,
      fields.success_threshold,
      fields.initial_backoff,
      fields.max_backoff,
    ]),
  ).toEqual(rows);
});

it('S2-12 writes a count as a number, a duration as its text, and takes an empty field out', () => {
  const first = withBreakerField(VALUE, 'provider.office', 'success_threshold', ' 3 ');
  expect(first).toEqual({
    'agent.codex': { initial_backoff: 2000 },
    'provider.office': { failure_threshold: 9, success_threshold: 3, max_backoff: '5m' },
  });
  expect(withBreakerField(first, 'provider.office', 'max_backoff', '')['provider.office']).toEqual({
    failure_threshold: 9,
    success_threshold: 3,
  });
  // What is no number is left to the schema, which says what is wrong with it.
  expect(
    withBreakerField(VALUE, 'provider.office', 'failure_threshold', 'many')['provider.office'],
  ).toMatchObject({ failure_threshold: 'many' });
  expect(withBreakerField(VALUE, 'not.there', 'max_backoff', '1s')).not.toHaveProperty('not.there');
});

it('S2-12 adds a breaker without an exception, keeps the 3 numbers of one that is there, and takes one out', () => {
  expect(withBreaker(VALUE, 'provider.office', true)).toEqual(VALUE);
  expect(withBreaker(VALUE, 'channel.mail', true)).toMatchObject({ 'channel.mail': {} });
  expect(Object.keys(withBreaker(VALUE, 'agent.codex', false))).toEqual(['provider.office']);
  expect(withBreaker(undefined, 'a', true)).toEqual({ a: {} });
});
