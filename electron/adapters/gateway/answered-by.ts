/** Response headers that name who has answered. FB-05 */
export const ANSWERED_BY = 'x-holdfast-provider';
export const ANSWERED_MODEL = 'x-holdfast-model';
/** Only set if it differs from the one that the client requested. */
export const INSTEAD_OF = 'x-holdfast-instead-of';

const ALL = [ANSWERED_BY, ANSWERED_MODEL, INSTEAD_OF] as const;

/** The headers of a provider: who has answered is not for it to say. */
export function withoutNames(headers: Headers): Headers {
  const rest = new Headers(headers);
  for (const name of ALL) rest.delete(name);
  return rest;
}

/** Those of them that are set. */
export function answeredBy(headers: Headers): Readonly<Record<string, string>> {
  return Object.fromEntries(
    ALL.flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}
