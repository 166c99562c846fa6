/** What providers and external agents are called on every computer of a shared store. DW-25 */
import { decideBaseUrl } from '../adapters/providers/base-url';
import { resolveProviderKey } from '../adapters/secrets/provider-key';
import { isLlmAgent } from '../../shared/settings';
import { breakerNames } from '../engine/breaker/names';
import type { CommonNames } from '../engine/sharing/common-limits';
import type { Core } from './core';

/** A key that was stored again has no setting that changes. */
const KEEPS_MS = 60_000;

export function createCommonNames(core: Pick<Core, 'settings' | 'secrets' | 'world'>): CommonNames {
  const { settings } = core;
  const { keys } = core.secrets;
  const { hasher, clock } = core.world;
  let accounts = new Map<string, string>();
  let addresses = new Map<string, string>();
  let readAtMs: number | undefined;
  settings.onChange((changed) => {
    if (changed.includes('agents') || changed.includes('providers')) readAtMs = undefined;
  });

  /** One key is one account: its fingerprint says so, and says nothing of the key. */
  const keyAccount = async (name: string): Promise<string | undefined> => {
    const spec = settings.get('providers')[name];
    if (spec === undefined) return undefined;
    if (spec.account !== undefined) return `account ${spec.account}`;
    const found = await resolveProviderKey(name, spec, keys).catch(() => undefined); // it is told where it is used
    return found === undefined
      ? undefined
      : `key ${hasher.sha256Hex(`the account of ${found.key}`).slice(0, 24)}`;
  };
  const addressOf = (name: string): string | undefined => {
    const spec = settings.get('providers')[name];
    if (spec === undefined) return undefined;
    try {
      const { url, isLoopback } = decideBaseUrl(name, spec);
      // A model on this computer is down on this computer alone.
      return isLoopback ? undefined : new URL(url).origin;
    } catch {
      return undefined; // it is refused where it is used
    }
  };

  return {
    async refresh() {
      const nowMs = clock.monotonicMs();
      if (readAtMs !== undefined && nowMs - readAtMs < KEEPS_MS) return;
      readAtMs = nowMs;
      const [newAccounts, newAddresses] = [new Map<string, string>(), new Map<string, string>()];
      for (const name of Object.keys(settings.get('providers'))) {
        const [account, address] = [await keyAccount(name), addressOf(name)];
        if (account !== undefined) newAccounts.set(name, account);
        if (address !== undefined) newAddresses.set(name, address);
      }
      // Nobody can see whose login a program uses: only a name that a person has given says so.
      for (const [name, agent] of Object.entries(settings.get('agents')))
        if (!isLlmAgent(agent) && agent.account !== undefined)
          newAccounts.set(breakerNames.agent(name), `account ${agent.account}`);
      accounts = newAccounts;
      addresses = newAddresses;
    },
    accountOf: (provider) => accounts.get(provider),
    addressOf: (provider) => addresses.get(provider),
    providers: () => [...new Set([...accounts.keys(), ...addresses.keys()])],
  };
}
