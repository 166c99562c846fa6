import type { VerbOutput } from '../../../shared/contract';
import { DEFAULT_CLIENT } from '../../../shared/states';
import type { GatewayEntry } from '../../ports/journal/gateway';
import type { Basics } from '../kernel/basics';
import type { JournalReads } from '../../ports/journal/reads';
import { HoldfastError } from '../kernel/errors';

interface GatewayClientsDeps extends Pick<Basics, 'journal' | 'crashPoints' | 'audit'> {
  readonly reads: Pick<JournalReads, 'gatewayClients' | 'gatewayLastAnswersMs'>;
  /** Puts a new token into the file of the default client. */
  readonly replaceToken: () => Promise<unknown>;
  /** The running gateway stops accepting its token at once. */
  readonly onRevoked: (client: string) => Promise<void>;
}

/**
 * Clients that may use the gateway: the one with the token in the file, and those with separate
 * tokens, of which only hashes are stored.
 */
export interface GatewayClients {
  list(): VerbOutput<'gateway.clients'>['clients'];
  /** @throws GATEWAY_CLIENT_EXISTS */
  add(client: { readonly name: string; readonly tokenHash: string }, by: string): Promise<void>;
  /**
   * @returns whether the token of the default client was replaced @throws GATEWAY_CLIENT_UNKNOWN
   */
  revoke(name: string, by: string): Promise<boolean>;
}

export function createGatewayClients(deps: GatewayClientsDeps): GatewayClients {
  const { reads, audit } = deps;
  const isKnown = (name: string): boolean =>
    reads.gatewayClients().some((one) => one.name === name);
  const write = async (entry: GatewayEntry): Promise<void> => {
    deps.crashPoints.hit('gateway.client.before');
    await deps.journal.commit([entry]);
    deps.crashPoints.hit('gateway.client.after');
  };
  return {
    list() {
      const last = reads.gatewayLastAnswersMs();
      const lastOf = (name: string, sinceMs = 0): { lastAnswerAtMs?: number } => {
        const atMs = last.get(name) ?? 0;
        return atMs === 0 || atMs < sinceMs ? {} : { lastAnswerAtMs: atMs };
      };
      return [
        { name: DEFAULT_CLIENT, ...lastOf(DEFAULT_CLIENT) },
        ...reads
          .gatewayClients()
          .map(({ name, addedAtMs }) => ({ name, addedAtMs, ...lastOf(name, addedAtMs) })),
      ];
    },
    async add({ name, tokenHash }, by) {
      if (name.toLowerCase() === DEFAULT_CLIENT || isKnown(name))
        throw new HoldfastError(
          'GATEWAY_CLIENT_EXISTS',
          `A client with the name "${name}" already exists.`,
          {
            hint: 'Nothing was changed. Choose another name, or revoke the existing client first.',
          },
        );
      await write({ kind: 'gateway.joined', client: name, tokenHash });
      audit.record('gateway_client_added', { client: name, by });
    },
    async revoke(name, by) {
      const isDefault = name === DEFAULT_CLIENT;
      if (isDefault) await deps.replaceToken();
      else if (isKnown(name)) await write({ kind: 'gateway.revoked', client: name });
      else
        throw new HoldfastError(
          'GATEWAY_CLIENT_UNKNOWN',
          `The gateway has no client "${name.slice(0, 60)}".`,
          { hint: 'Nothing was changed. List them: holdfast gateway token list' },
        );
      await deps.onRevoked(name);
      audit.record('gateway_client_revoked', { client: name, by });
      return isDefault;
    },
  };
}
