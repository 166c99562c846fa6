import { describe, expect, it } from 'vitest';
import {
  KEY_GROUPS,
  actOf,
  comboOf,
  comboText,
  isKey,
  keyText,
  keysOf,
  nextIndex,
} from '../../../renderer/keys/keys-view';
import type { Pressed } from '../../../renderer/keys/keys-view';
import { PAGES } from '../../../renderer/pages';
import { CATALOGUE } from '../../../shared/messages';

const press = (key: string, held: Partial<Pressed> = {}): Pressed => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...held,
});
const page = { isMac: false, isTyping: false, isInDialog: false };

describe('actOf', () => {
  it.each([
    [press('k', { ctrlKey: true }), page, { kind: 'palette' }],
    [press('K', { ctrlKey: true, shiftKey: true }), page, undefined],
    [press('k', { ctrlKey: true }), { ...page, isTyping: true }, { kind: 'palette' }],
    [press('k', { ctrlKey: true }), { ...page, isMac: true }, undefined],
    [press('k', { metaKey: true }), { ...page, isMac: true }, { kind: 'palette' }],
    [press('k', { ctrlKey: true }), { ...page, isInDialog: true }, undefined],
    [press('1'), page, { kind: 'page', at: 0 }],
    [press('2', { shiftKey: true }), page, { kind: 'page', at: 1 }],
    [press('2'), { ...page, isTyping: true }, undefined],
    [press('9'), page, { kind: 'page', at: 8 }],
    [press('0'), page, undefined],
    [press('?', { shiftKey: true }), page, { kind: 'help' }],
    [press('/'), page, { kind: 'search' }],
    [press('/'), { ...page, isTyping: true }, undefined],
    [press('Escape'), page, { kind: 'back' }],
    [press(',', { ctrlKey: true }), page, { kind: 'settings' }],
    [press('Enter'), page, undefined],
    [press('j'), page, undefined],
  ])('reads %j at %j as %j', (pressed, place, act) => {
    expect(actOf(pressed, place)).toEqual(act);
  });
});

describe('the table of keys', () => {
  it('gives each page a digit, in the order of the sidebar', () => {
    for (const [at] of PAGES.entries()) {
      expect(actOf(press(String(at + 1)), page)).toEqual({ kind: 'page', at });
    }
  });

  it('names every row once and in words of the catalogue', () => {
    const rows = KEY_GROUPS.flatMap((group) => group.rows);
    expect(new Set(rows.map((row) => row.id)).size).toBe(rows.length);
    for (const row of rows) expect(CATALOGUE).toHaveProperty([row.label]);
  });

  it('uses no combo twice in one place', () => {
    for (const { rows } of KEY_GROUPS) {
      const combos = rows.flatMap((row) => row.combos);
      expect(new Set(combos).size).toBe(combos.length);
    }
  });

  it('has no key for an answer to a decision, Discard or Stop all', () => {
    const ids = KEY_GROUPS.flatMap((group) => group.rows.map((row) => row.id));
    expect(
      ids.filter((id) => /confirm|resume|skip|discard|stopAll|approve|allow/i.test(id)),
    ).toEqual([]);
    const stop = KEY_GROUPS.flatMap((group) => group.rows).find((row) => row.id === 'stopTurn');
    expect(stop?.combos).toEqual(['escape escape']);
  });
});

describe('how keys are printed', () => {
  it.each([
    ['mod+k', false, 'Ctrl K'],
    ['mod+k', true, '⌘ K'],
    ['mod+,', false, 'Ctrl ,'],
    ['escape escape', false, 'Esc Esc'],
    ['mod+enter', true, '⌘ Enter'],
    ['+', false, '+'],
    ['?', false, '?'],
  ])('prints %s (mac: %s) as %s', (combo, isMac, text) => {
    expect(comboText(combo, isMac)).toBe(text);
  });

  it('prints the digits of the pages as a run, and other keys one by one', () => {
    const rows = KEY_GROUPS.flatMap((group) => group.rows);
    const keys = (id: string): readonly string[] =>
      keysOf(
        rows.find((row) => row.id === id) ?? { id: 'help', combos: [], label: 'keys.help' },
        false,
      );
    expect(keys('pages')).toEqual([`1–${String(PAGES.length)}`]);
    expect(keys('next')).toEqual(['J', '↓']);
    expect(keyText('palette', false)).toBe('Ctrl K');
  });
});

describe('lists', () => {
  it('moves by J, K and arrows, not with Ctrl or Alt', () => {
    expect(isKey('next', press('j'))).toBe(true);
    expect(isKey('next', press('ArrowDown'))).toBe(true);
    expect(isKey('previous', press('ArrowUp'))).toBe(true);
    expect(isKey('next', press('ArrowDown', { altKey: true }))).toBe(false);
    expect(comboOf(press('J', { shiftKey: true }), false)).toBe('shift+j');
  });

  it.each([
    [0, -1, 1, -1],
    [3, -1, 1, 0],
    [3, -1, -1, 2],
    [3, 0, -1, 0],
    [3, 1, 1, 2],
    [3, 2, 1, 2],
  ] as const)('of %i rows, from %i by %i, goes to %i', (count, at, step, next) => {
    expect(nextIndex(count, at, step)).toBe(next);
  });
});
