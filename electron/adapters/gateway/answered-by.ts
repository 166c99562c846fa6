/** Response headers that name the answering provider. FB-05 */
export const ANSWERED_BY = 'x-holdfast-provider';
export const ANSWERED_MODEL = 'x-holdfast-model';
/** Only set if it differs from the one that the client requested. */
export const INSTEAD_OF = 'x-holdfast-instead-of';

const ALL = [ANSWERED_BY, ANSWERED_MODEL, INSTEAD_OF] as const;

/** A provider's headers without these: a provider must not set who answered. */
export function withoutNames(headers: Headers): Headers {
  const rest = new Headers(headers);
  for (const name of ALL) rest.delete(name);
  return rest;
}

/** Those of these headers that are set. */
export function answeredBy(headers: Headers): Readonly<Record<string, string>> {
  return Object.fromEntries(
    ALL.flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}
