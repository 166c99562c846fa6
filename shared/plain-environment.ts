type Own = Readonly<Record<string, string | undefined>>;

/** Variables that a system program needs, including on Windows. */
const NAMES = 'PATH Path SystemRoot SystemDrive windir ComSpec PATHEXT TEMP TMP TMPDIR'.split(' ');

/**
 * The environment of Holdfast's own helper programs: no possible secrets, plus `more` that this one
 * needs. Pure. S2-+05
 */
export const plainEnvironment = (own: Own, more: readonly string[] = []): Record<string, string> =>
  Object.fromEntries(
    [...NAMES, ...more].flatMap((name) => {
      const value = own[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
