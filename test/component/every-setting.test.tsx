// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { SettingRow } from '../../renderer/settings/setting-row';
import { SECTIONS, sectionKeys } from '../../renderer/settings/setting-groups';
import type { ConfigEntry } from '../../shared/types';
import { SETTINGS, type SettingKey } from '../../shared/settings';
import { otherValue } from '../helpers/setting-samples';
import { show, type Shown } from './render';

/** Settings in rows; `settings.test.tsx` and `entry-rows.test.tsx` show them. */
const NAMED: ReadonlySet<string> = new Set([
  'skill_resume.per_skill',
  'approvals.tools',
  'breakers.per_dependency',
  'budgets.caps',
  'gateway.fallback',
  'hosts.addresses',
  'tasks.own',
]);

/** Edits the control of a row as a person does, whatever it is. */
async function enter(row: HTMLElement, key: SettingKey, { user }: Shown): Promise<void> {
  const value = otherValue(key);
  if (typeof value === 'boolean') {
    fireEvent.click(within(row).getByRole('switch'));
    return;
  }
  const field = row.querySelector<HTMLInputElement>('.setting-control input:not([type="hidden"])');
  if (field === null) throw new Error(`no field for ${key}`);
  if (field.readOnly) {
    await user.click(field);
    const option = await waitFor(() => {
      const list = document.getElementById(field.getAttribute('aria-controls') ?? '');
      const one = list?.querySelector(`[role="option"][value="${String(value)}"]`);
      if (one === null || one === undefined) throw new Error(`no choice of ${key}`);
      return one;
    });
    await user.click(option);
    return;
  }
  if (Array.isArray(value)) {
    await user.type(field, `${String(value)}{Enter}`);
    return;
  }
  fireEvent.change(field, {
    target: { value: String(value) },
  });
  fireEvent.keyDown(field, { key: 'Enter' });
}

const KEYS = SECTIONS.flatMap(sectionKeys);

describe('every setting in the window', () => {
  it.each(KEYS)('S0-02 %s is no field of JSON, and its place is found by its key', async (key) => {
    const value = otherValue(key) as ConfigEntry['value'];
    const { about, applies, default: initial } = SETTINGS[key];
    const entry: ConfigEntry = {
      key,
      value,
      default: initial as ConfigEntry['value'],
      source: 'file',
      applies,
      about,
    };
    const { container } = show(<SettingRow settingKey={key} entry={entry} />);
    await screen.findByText(key);
    const texts = [...container.querySelectorAll('input')].map((input) => input.value);
    expect(texts.filter((text) => /^[[{]/.test(text))).toEqual([]);
    expect(container.querySelector(`[data-setting="${key}"]`)).not.toBeNull();
  });

  it.each(KEYS.filter((key) => !NAMED.has(key)))(
    'S0-02 %s is written by its control, and a change that waits for the next start says so',
    async (key) => {
      const { about, applies, schema } = SETTINGS[key];
      const standard = SETTINGS[key].default as ConfigEntry['value'];
      const entry: ConfigEntry = {
        key,
        value: standard,
        default: standard,
        source: 'default',
        applies,
        about,
        ...('options' in schema && typeof standard === 'string' && !schema.safeParse('3h').success
          ? { choices: schema.options.map(String) }
          : {}),
      };
      const shown = show(<SettingRow settingKey={key} entry={entry} />);
      const row = (await screen.findByText(key)).closest('li');
      if (row === null) throw new Error('no row');
      const other = otherValue(key);
      // A list keeps what is in it.
      const value =
        Array.isArray(standard) && Array.isArray(other)
          ? ([...standard, ...other] as unknown[])
          : other;
      await enter(row, key, shown);
      await waitFor(() => expect(shown.fake.callsOf('config.set')).toEqual([{ key, value }]));
      expect(schema.safeParse(value).success).toBe(true);
      expect(within(row).queryByText(/after a restart/) !== null).toBe(applies === 'restart');
    },
  );
});
