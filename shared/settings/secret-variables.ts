/** Names of environment variables in the settings, and what they are there for. Rows S2-+05; K6. */

/** Variables that the settings name. */
interface SettingVariables {
  /** Used by Holdfast itself as a secret: every field that ends in `_env`. */
  readonly secret: ReadonlySet<string>;
  /** Handed to one agent, channel or server: every field called `env`. */
  readonly handed: ReadonlySet<string>;
}

const SHORT_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

/**
 * Every variable that settings name, wherever in them: by the ending of the field, so that a setting
 * that comes later is one of them. Takes what a file says, too, whether or not it is in force.
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
        // `{NAME: true}` hands it on; a text there is a value of its own.
        if (into === handed) {
          if (one === true && SHORT_NAME.test(name)) into.add(name);
        } else take(into, one);
      }
    }
  };
  const walk = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth > MOST_DEPTH) return;
    for (const [field, one] of Object.entries(value)) {
      if (/_env$/i.test(field)) take(secret, one);
      else if (/^env$/i.test(field)) take(handed, one);
      // A provider or an agent may have such a name, too.
      walk(one, depth + 1);
    }
  };
  walk(settings, 0);
  return { secret, handed };
}

const MOST_DEPTH = 20;
