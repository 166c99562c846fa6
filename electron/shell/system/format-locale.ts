/**
 * The format of times, numbers, and money: the system's, which may differ from the language of its
 * menus. Pure.
 */
interface SystemFormats {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The locale of the region settings; empty if the system reports none. */
  readonly systemLocale: string;
  /** The language of the menus. */
  readonly menuLocale: string;
  /** macOS has a separate switch for the clock format. */
  readonly clock: '12' | '24' | undefined;
}

/** `de_AT.UTF-8@euro` as `de-AT`; undefined for C, POSIX, and invalid values. */
function fromPosix(value: string | undefined): string | undefined {
  const name = (value ?? '').replace(/[.@].*$/, '').replaceAll('_', '-');
  return name === 'C' || name === 'POSIX' ? undefined : known(name);
}

/** The canonical name of a locale; undefined for an invalid one. */
function known(name: string): string | undefined {
  if (name === '') return undefined;
  try {
    return new Intl.Locale(name).toString();
  } catch {
    return undefined; // An unknown name: the next source decides.
  }
}

/** A locale for `Intl`; always one that it takes. */
export function formatLocale(system: SystemFormats): string {
  const { env } = system;
  const own =
    system.platform === 'linux'
      ? // The first that is set counts, as in every other program.
        fromPosix(env['LC_ALL'] || env['LC_TIME'] || env['LANG'])
      : known(system.systemLocale);
  const locale = own ?? known(system.menuLocale) ?? 'en';
  if (system.clock === undefined) return locale;
  const hourCycle = system.clock === '24' ? 'h23' : 'h12';
  return new Intl.Locale(locale, { hourCycle }).toString();
}
