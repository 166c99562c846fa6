type Own = Readonly<Record<string, string | undefined>>;

/** What a program of the system needs to run, on Windows too. */
const NAMES = 'PATH Path SystemRoot SystemDrive windir ComSpec PATHEXT TEMP TMP TMPDIR'.split(' ');

/**
 * The environment of a helper that Holdfast starts for itself: nothing that may be a secret, and `more` that
 * this one needs. Pure. S2-+05
 */
export const plainEnvironment = (own: Own, more: readonly string[] = []): Record<string, string> =>
  Object.fromEntries(
    [...NAMES, ...more].flatMap((name) => {
      const value = own[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
