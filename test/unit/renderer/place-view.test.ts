import { describe, expect, it } from 'vitest';
import { isAtEnd, routeOfHash } from '../../../renderer/landing';

describe('F2 the place of a person', () => {
  it.each([
    ['', '/'],
    ['#/', '/'],
    ['#/sessions/3', '/sessions/3'],
    ['#/schedule/edit-4', '/schedule/edit-4'],
    // A name that no route may have: the page that it is a part of.
    ['#/outages/Office%20proxy', '/outages'],
    ['#/outages/Anthropic', '/outages'],
    [`#/${'x'.repeat(300)}`, '/'],
    ['#javascript:alert(1)', '/'],
  ])('%s is %s', (hash, route) => expect(routeOfHash(hash)).toBe(route));

  it('of a chat at its end is its end, of any other part where it stands', () => {
    const at = { scrollTop: 952, scrollHeight: 1_400, clientHeight: 400 };
    expect([
      isAtEnd('chat', { ...at, scrollTop: 960 }),
      isAtEnd('chat', { ...at, scrollTop: 900 }),
    ]).toEqual([true, false]);
    expect(isAtEnd('page', { ...at, scrollTop: 1_000 })).toBe(false);
  });
});
