/** Ends an exhaustive switch: a new variant becomes a compile error here. */
export function unreachable(value: never): never {
  throw new TypeError(`Unexpected variant: ${JSON.stringify(value)}`);
}
