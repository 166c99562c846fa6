/**
 * What is made when it is first asked for, and kept. Building a schema costs more than a start can
 * spend on a hundred of them, of which it needs those whose values stand in the file.
 */
export const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
};
