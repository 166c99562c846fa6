/**
 * Created on first use and cached: a schema, or the promise of code that is loaded late. Building a
 * schema costs more than a start can spend on a hundred of them, and it needs only those whose
 * values are in the file.
 */
export const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
};
