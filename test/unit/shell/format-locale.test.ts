import { describe, expect, it } from 'vitest';
import { formatLocale } from '../../../electron/shell/system/format-locale';
import { formatsOf } from '../../../renderer/locale';
import { clockText } from '../../../renderer/parts/time-view';

const at = new Date(2026, 2, 24, 14, 2, 11).getTime();
const linux = (env: Readonly<Record<string, string>>): string =>
  formatLocale({
    platform: 'linux',
    env,
    systemLocale: 'en-US',
    menuLocale: 'en-US',
    clock: undefined,
  });

describe('how times are written', () => {
  it.each([
    [{ LANG: 'en_US.UTF-8', LC_TIME: 'de_DE.UTF-8' }, 'de-DE'],
    [{ LANG: 'en_US.UTF-8', LC_TIME: 'de_AT@euro' }, 'de-AT'],
    [{ LANG: 'de_DE.UTF-8', LC_TIME: 'en_US.UTF-8', LC_ALL: 'ja_JP.utf8' }, 'ja-JP'],
    [{ LANG: 'pt_BR.UTF-8', LC_TIME: '', LC_ALL: '' }, 'pt-BR'],
    [{ LANG: 'C.UTF-8' }, 'en-US'],
    [{ LC_ALL: 'POSIX', LANG: 'de_DE.UTF-8' }, 'en-US'],
    [{ LC_TIME: '"><script>' }, 'en-US'],
    [{}, 'en-US'],
  ])('Linux: %j is %s, as in every other program', (env, locale) => {
    expect(linux(env as Record<string, string>)).toBe(locale);
  });

  it.each([
    ['darwin', 'de-DE', undefined, '14:02'],
    ['darwin', 'en-US', '24', '14:02'],
    ['darwin', 'en-GB', '12', /^0?2:02\spm$/i],
    ['win32', 'en-GB', undefined, '14:02'],
    ['win32', '', undefined, /^2:02\sPM$/],
    ['win32', 'not a locale', undefined, /^2:02\sPM$/],
  ] as const)('%s with region %s and clock %s writes %s', (platform, systemLocale, clock, time) => {
    const locale = formatLocale({
      platform,
      env: { LC_ALL: 'ja_JP.UTF-8' },
      systemLocale,
      menuLocale: 'en-US',
      clock,
    });
    expect(clockText(at, at, locale)).toMatch(time);
  });

  it.each([
    ['de-AT', 'de-AT'],
    ['en-US-u-hc-h23', 'en-US-u-hc-h23'],
    ['__FORMATS__', undefined],
    ['', undefined],
    [null, undefined],
  ])('a page that says %j uses %s', (content, locale) => {
    expect(formatsOf(content)).toBe(locale);
  });
});
