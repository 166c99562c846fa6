import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { DEFAULT_CLIENT } from '../../../shared/states';
import { isTokenOf, openKeptToken } from '../loopback/saved-token';
import { wireError, type WireError } from './wire-errors';

/** A client with a token of its own. */
interface KnownClient {
  readonly name: string;
  readonly tokenHash: string;
}

/** A client that does not read is not waited for. */
const TELL_MS = 1_000;

/** Who may come in, and who is in. */
export interface Doorkeeper {
  /** Whose token it is. */
  clientOf(candidate: string | undefined): string | undefined;
  /** Aborted with a {@link WireError} where the token of the client ends, or the gateway. */
  admit(client: string, response: ServerResponse): AbortSignal;
  /** Its token is revoked: its running requests end. */
  revoked(client: string): Promise<void>;
  /** No further answers. Resolves when all clients got an error, or after a second. */
  closed(): Promise<void>;
}

/**
 * Tokens of the gateway: one in a file, and those of the clients, of which only hashes are known.
 * Each is compared regardless of the other results, so that the time reveals nothing. @throws
 * DATA_DIR_UNSAFE if others could read the file
 */
export async function openDoor(
  tokenPath: string,
  clients: () => readonly KnownClient[],
): Promise<Doorkeeper> {
  let kept = await openKeptToken(tokenPath, 'of the gateway');
  const inside = new Map<string, Map<ServerResponse, AbortController>>();
  let isClosed = false;
  const end = (client: string, why: WireError): void => {
    for (const [response, abort] of inside.get(client) ?? []) {
      abort.abort(why);
      // A client that has received nothing yet sees the connection close and retries.
      if (!response.headersSent) response.destroy();
    }
  };
  return {
    clientOf(candidate) {
      if (candidate === undefined) return undefined;
      const found = clients().filter((one) => isTokenOf(candidate, one.tokenHash));
      return kept.accepts(candidate) ? DEFAULT_CLIENT : found[0]?.name;
    },
    admit(client, response) {
      const own = inside.get(client) ?? new Map<ServerResponse, AbortController>();
      const abort = new AbortController();
      inside.set(client, own.set(response, abort));
      response.once('close', () => own.delete(response));
      if (isClosed) response.destroy();
      return abort.signal;
    },
    async revoked(client) {
      if (client === DEFAULT_CLIENT) kept = await openKeptToken(tokenPath, 'of the gateway');
      end(client, wireError(401, 'token_revoked', 'The token of this client was revoked.'));
    },
    async closed() {
      isClosed = true;
      const gone = [...inside.values()]
        .flatMap((own) => [...own.keys()])
        .map((response) => new Promise((resolve) => response.once('close', resolve)));
      for (const client of inside.keys())
        end(client, wireError(503, 'stopping', 'The gateway stops. Ask again when it is back.'));
      await Promise.race([Promise.all(gone), delay(TELL_MS, undefined, { ref: false })]);
    },
  };
}

/** The token as clients can show it: as their key, in either dialect, or in the path. */
export function tokenOf(request: IncomingMessage, inPath: string | undefined): string | undefined {
  if (inPath !== undefined) return inPath;
  const bearer = /^Bearer ([\x21-\x7e]{1,400})$/i.exec(request.headers.authorization ?? '')?.[1];
  const key = request.headers['x-api-key'];
  return bearer ?? (typeof key === 'string' ? key : undefined);
}
