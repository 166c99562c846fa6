/**
 * Names of providers and external agents that are the same on every computer of a shared store.
 * DW-25
 */
import { isLlmAgent, type ProviderSettings } from '../../../shared/settings';
import type { Clock } from '../../ports/clock';
import type { Basics } from '../kernel/basics';
import { breakerNames } from '../breaker/names';
import type { CommonNames } from './common-limits';

export interface CommonNamesDeps extends Pick<Basics, 'settings' | 'hasher'> {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /**
   * The key in use. Undefined if there is none or it cannot be read; that error is reported where
   * the key is used.
   */
  readonly keyOf: (name: string, spec: ProviderSettings) => Promise<string | undefined>;
  /**
   * The origin of its requests. Undefined for an address on this computer, and for one that is not
   * allowed.
   */
  readonly originOf: (name: string, spec: ProviderSettings) => string | undefined;
}

/** Keys are re-read this often, because storing a new key changes no setting. */
const KEEPS_MS = 60_000;

export function createCommonNames({
  settings,
  hasher,
  clock,
  keyOf,
  originOf,
}: CommonNamesDeps): CommonNames {
  let accounts = new Map<string, string>();
  let addresses = new Map<string, string>();
  let readAtMs: number | undefined;
  settings.onChange((changed) => {
    if (changed.includes('agents') || changed.includes('providers')) readAtMs = undefined;
  });

  /**
   * One key is one account: its fingerprint identifies the account and reveals nothing of the key.
   */
  const keyAccount = async (name: string): Promise<string | undefined> => {
    const spec = settings.get('providers')[name];
    if (spec === undefined) return undefined;
    if (spec.account !== undefined) return `account ${spec.account}`;
    const key = await keyOf(name, spec);
    return key === undefined
      ? undefined
      : `key ${hasher.sha256Hex(`the account of ${key}`).slice(0, 24)}`;
  };
  const addressOf = (name: string): string | undefined => {
    const spec = settings.get('providers')[name];
    return spec === undefined ? undefined : originOf(name, spec);
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
      // The account of an external program cannot be seen, so only a name that the user set
      // identifies it.
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
