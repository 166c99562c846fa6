import path from 'node:path';
import type { VerbOutput } from '../../shared/contract';
import { DEFAULT_CLIENT } from '../../shared/states';
import type { Handlers } from '../engine/api/handlers';
import { HoldfastError } from '../engine/kernel/errors';
import type { GatewayEntry } from '../ports/journal/gateway';
import type { PartDeps } from './core';

interface GatewayClientsDeps extends PartDeps<
  'dataDir' | 'journal' | 'reads' | 'crashPoints' | 'audit'
> {
  /** Its token is worth nothing any more: the running gateway hears of it at once. */
  readonly onRevoked: (client: string) => Promise<void>;
}

export const gatewayTokenPath = (dataDir: string): string => path.join(dataDir, 'gateway.token');

/**
 * Who may use the gateway: the client of the token in the file, and those with a token of their own,
 * of which nobody here knows more than the hash.
 */
export function createGatewayClients(
  deps: GatewayClientsDeps,
): Handlers<'gateway.clients' | 'gateway.addClient' | 'gateway.revokeClient'> {
  const { reads, audit } = deps;
  const isKnown = (name: string): boolean =>
    reads.gatewayClients().some((one) => one.name === name);
  const write = async (entry: GatewayEntry): Promise<void> => {
    deps.crashPoints.hit('gateway.client.before');
    await deps.journal.commit([entry]);
    deps.crashPoints.hit('gateway.client.after');
  };
  return {
    'gateway.clients': () => Promise.resolve({ clients: [...listOf(deps)] }),
    'gateway.addClient': async ({ name, tokenHash }, by) => {
      if (name.toLowerCase() === DEFAULT_CLIENT || isKnown(name))
        throw new HoldfastError('GATEWAY_CLIENT_EXISTS', `There is a client "${name}" already.`, {
          hint: 'Nothing was changed. Choose another name, or revoke that one first.',
        });
      await write({ kind: 'gateway.joined', client: name, tokenHash });
      audit.record('gateway_client_added', { client: name, by });
      return { name };
    },
    'gateway.revokeClient': async ({ name }, by) => {
      const isDefault = name === DEFAULT_CLIENT;
      if (isDefault) {
        const { replaceToken } = await import('../adapters/loopback/saved-token');
        await replaceToken(gatewayTokenPath(deps.dataDir));
      } else if (isKnown(name)) await write({ kind: 'gateway.revoked', client: name });
      else
        throw new HoldfastError(
          'GATEWAY_CLIENT_UNKNOWN',
          `The gateway has no client "${name.slice(0, 60)}".`,
          { hint: 'Nothing was changed. See which there are: holdfast gateway token list' },
        );
      await deps.onRevoked(name);
      audit.record('gateway_client_revoked', { client: name, by });
      return { name, isReplaced: isDefault };
    },
  };
}

function listOf({
  reads,
}: Pick<GatewayClientsDeps, 'reads'>): VerbOutput<'gateway.clients'>['clients'] {
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
}
