/**
 * A table that is looked up by external text. An ordinary object also has "constructor" and
 * "toString"; here only listed keys are found.
 */
export const table = <T>(rows: Readonly<Record<string, T>>): Readonly<Record<string, T>> =>
  Object.freeze(Object.assign(Object.create(null) as Record<string, T>, rows));

/** The same for an object that is no such table, as settings are: only what is listed is found. */
export const entryOf = <T>(rows: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(rows, name) ? rows[name] : undefined;
