/** What holds off sleep, in the list of the real login manager, with the real headless host. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StatusSnapshot } from '../../../shared/types';
import { noLoginManager, startLoginManager } from '../../helpers/login-manager';
import { isLeftOut } from '../../helpers/skips';
import type { Launched, Site } from './site';
import { createSite, until } from './site';

let site: Site;
let login: Awaited<ReturnType<typeof startLoginManager>>;
const isSkipped = isLeftOut('KA: holds in the list of the login manager', noLoginManager());

const BOTH = [
  { what: 'idle', mode: 'block', why: 'An agent is working' },
  { what: 'sleep', mode: 'delay', why: 'An agent is working' },
];
const byWhat = (list: readonly { readonly what: string }[]) =>
  list.toSorted((one, other) => one.what.localeCompare(other.what));

async function startHost(): Promise<Launched> {
  const host = site.launch(['start', '--headless'], '', {
    DBUS_SYSTEM_BUS_ADDRESS: login.env.DBUS_SYSTEM_BUS_ADDRESS,
  });
  await until('the host is ready', () => host.out().includes('\n'));
  return host;
}
const audited = (): string[] =>
  site
    .audit()
    .filter(({ event }) => event.startsWith('awake_'))
    .map(({ event, facts }) => `${event} ${String(facts['reason'] ?? facts['by'] ?? '')}`.trim());

describe.skipIf(isSkipped)('the computer stays awake while a turn runs', () => {
  beforeEach(async () => {
    site = await createSite();
    login = await startLoginManager();
    site.fp.setScript(() => ({ fault: 'stall_first_byte' }));
  });
  afterEach(async () => {
    await site.remove();
    login.end();
  });

  it('KA-01 KA-03 KA-04 blocks only idle sleep and delays the rest, asks nothing while idle, and is gone after kill -9', async () => {
    site.configure({ power: { keep_awake: 'always' } });
    const host = await startHost();
    expect(login.list()).toEqual([]);
    await site.send('work');
    await site.fp.waitForRequests(1);
    expect(byWhat(await login.listed(2))).toEqual(BOTH);
    const status = await site.json<StatusSnapshot>('status');
    expect(status.awake).toMatchObject({ cause: 'turns', turns: 1 });
    await site.kill(host);
    expect(await login.listed(0)).toEqual([]);
  });

  it('KA-05 "let it sleep" ends it now, the audit says who held it, and the setting turns it off while it is held', async () => {
    site.configure({ power: { keep_awake: 'always' } });
    const host = await startHost();
    await site.send('work');
    await login.listed(2);
    const client = await site.client();
    expect(await client.call('instance.letSleep', {})).toEqual({ ok: true, wasHeld: true });
    expect(await login.listed(0)).toEqual([]);
    expect(await client.call('instance.letSleep', {})).toEqual({ ok: true, wasHeld: false });
    client.close();
    await site.stop(host);
    expect(audited()).toEqual(['awake_held', 'awake_let_go control', 'awake_released let_go']);
    site.configure({ power: { keep_awake: 'always' } });
    const again = await startHost();
    await login.listed(2);
    await site.hf('config', 'set', 'power.keep_awake', 'off');
    expect(await login.listed(0)).toEqual([]);
    await site.stop(again);
  });
});
