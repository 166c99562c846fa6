/** Names of environment variables in the settings, and their purpose. Rows S2-+05; K6. */

/** Variables that the settings name. */
interface SettingVariables {
  /** Used by Holdfast itself as a secret: every field that ends in `_env`. */
  readonly secret: ReadonlySet<string>;
  /** Passed to one agent, channel or server: every field called `env`. */
  readonly handed: ReadonlySet<string>;
}

const SHORT_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

/**
 * Every variable named anywhere in the settings, found by the ending of the field, so that later
 * settings are included. Also accepts the content of a file, in force or not.
 */
export function settingVariables(settings: unknown): SettingVariables {
  const secret = new Set<string>();
  const handed = new Set<string>();
  const take = (into: Set<string>, value: unknown): void => {
    if (typeof value === 'string') {
      if (SHORT_NAME.test(value)) into.add(value);
    } else if (Array.isArray(value)) {
      for (const one of value) take(into, one);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, one] of Object.entries(value)) {
        // `{NAME: true}` passes it on; a text is a literal value.
        if (into === handed) {
          if (one === true && SHORT_NAME.test(name)) into.add(name);
        } else take(into, one);
      }
    }
  };
  const walk = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return;
    for (const [field, one] of Object.entries(value)) {
      if (/_env$/i.test(field)) take(secret, one);
      else if (/^env$/i.test(field)) take(handed, one);
      // A provider or an agent may be called that too.
      walk(one, depth + 1);
    }
  };
  walk(settings, 0);
  return { secret, handed };
}

const MAX_DEPTH = 20;
