/** Response headers that name who has answered. FB-05 */
export const ANSWERED_BY = 'x-holdfast-provider';
export const ANSWERED_MODEL = 'x-holdfast-model';
/** Only where it was another one than the client asked for. */
export const INSTEAD_OF = 'x-holdfast-instead-of';

/** Those of them that are set. */
export function answeredBy(headers: Headers): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [ANSWERED_BY, ANSWERED_MODEL, INSTEAD_OF].flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}
