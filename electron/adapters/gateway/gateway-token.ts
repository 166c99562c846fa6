import type { IncomingMessage } from 'node:http';

/** The token as clients can show it: as their key, in either dialect, or in the path. */
export function tokenOf(request: IncomingMessage, inPath: string | undefined): string | undefined {
  if (inPath !== undefined) return inPath;
  const bearer = /^Bearer ([\x21-\x7e]{1,400})$/i.exec(request.headers.authorization ?? '')?.[1];
  const key = request.headers['x-api-key'];
  return bearer ?? (typeof key === 'string' ? key : undefined);
}
