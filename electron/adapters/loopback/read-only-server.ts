import type { IncomingMessage } from 'node:http';
import type { LoopbackAnswer, OpenLoopback } from '../../ports/loopback';
import { openGuardedServer, sendText, type ServerLimits } from './guarded-server';

/** H6 */
export const READ_ONLY_LIMITS: ServerLimits = {
  headersMs: 2_000,
  bodyMs: 1_000,
  answerMs: 10_000,
  headerBytes: 8 * 1024,
  connections: 32,
};

const bearerOf = (request: IncomingMessage): string | undefined =>
  /^Bearer ([\x21-\x7e]{1,200})$/i.exec(request.headers.authorization ?? '')?.[1];

/** A server whose every answer is a short text: only GET, which changes nothing. */
export function readOnlyServer(limits: ServerLimits = READ_ONLY_LIMITS): OpenLoopback {
  return ({ port, answer }) =>
    openGuardedServer({
      port,
      methods: ['GET'],
      limits,
      handle: (request, response, path) => {
        request.resume(); // A body is ignored here.
        const send = ({ status, body, contentType }: LoopbackAnswer): void => {
          const headers = contentType === undefined ? {} : { 'Content-Type': contentType };
          if (!response.destroyed) sendText(response, status, body, headers);
        };
        Promise.resolve()
          .then(() => answer({ path, bearer: bearerOf(request) }))
          .then(send, () => {
            send({ status: 500, body: 'This request failed. See the Holdfast log.\n' });
          });
      },
    });
}
