/**
 * Holdfast killed with a real browser open: in the middle of a click, around the write of a picture,
 * and with a browser that is frozen and so does not leave with it.
 */
import fs from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../integration/browser/browser-world';
import { isAlive, waitFor } from '../integration/mcp/servers-world';
import { databaseProblems } from './evidence';
import { createRealm, endRealms, startLife, type Mode } from './lives';
import type { Life, Realm } from './realm';
import { BROWSER_POINTS } from './own-workloads';
import { isLeftOut } from '../helpers/skips';

const shops: Server[] = [];
afterEach(() => {
  for (const shop of shops.splice(0)) {
    shop.closeAllConnections();
    shop.close();
  }
  endRealms();
});

function realmFor(mode: Mode, listed: readonly string[] = []): Realm {
  return createRealm(mode, {
    'resilience.recovery.side_effect_tools': listed,
    'browser.local_hosts': ['127.0.0.1'],
    'approvals.tools': { 'browser.*': 'allow' },
  });
}

/** A shop that takes orders and never answers the first. */
async function openShop(): Promise<{ readonly site: string; readonly orders: string[] }> {
  const orders: string[] = [];
  const shop = createServer((request, response) => {
    if (request.method === 'POST' && orders.push(String(request.url)) === 1) return;
    response.setHeader('content-type', 'text/html');
    response.end(
      '<title>Shop</title><form method="post" action="/buy"><button>Buy</button></form>',
    );
  });
  shops.push(shop);
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
  return { site: `127.0.0.1:${String((shop.address() as AddressInfo).port)}`, orders };
}

/** Process numbers of the browsers that were opened, as the audit tells them. */
function browsers(realm: Realm): number[] {
  const folder = path.join(realm.dataDir, 'audit');
  const lines = fs
    .readdirSync(folder)
    .flatMap((name) => fs.readFileSync(path.join(folder, name), 'utf8').split('\n'));
  return lines
    .filter((line) => line.includes('"browser_opened"'))
    .map((line) => Number(/"pid":(\d+)/.exec(line)?.[1]));
}

async function killedInClick(
  realm: Realm,
  frozen: boolean,
): Promise<{ turnId: number; pid: number; orders: string[] }> {
  const { site, orders } = await openShop();
  const life = startLife(realm);
  await life.ready();
  const turnId = await life.accept(`browse ${site}`);
  await waitFor(() => orders.length === 1, 60_000);
  const pid = browsers(realm)[0] ?? 0;
  expect(isAlive(pid)).toBe(true);
  if (frozen) process.kill(pid, 'SIGSTOP');
  await life.kill();
  return { turnId, pid, orders };
}

async function again(realm: Realm): Promise<Life> {
  const life = startLife(realm);
  await life.ready();
  await life.ask({ kind: 'quiet' });
  return life;
}

describe.skipIf(
  isLeftOut('kills with a browser open', CHROMIUM.kind === 'missing' && 'no Chromium is installed'),
)('Holdfast killed with a browser open', () => {
  it('S0-13 S2-18 in the middle of a click: the browser leaves, the listed click is held, nothing is ordered twice', async () => {
    const realm = realmFor('safe_only', ['browser.click']);
    const { turnId, pid, orders } = await killedInClick(realm, false);
    await waitFor(() => !isAlive(pid), 60_000);
    const life = await again(realm);
    const { turn, decision } = await life.call('turns.show', { turnId });
    expect(turn.state).toBe('held');
    expect(decision?.ambiguous).toMatchObject([{ tool: 'browser.click', isListed: true }]);
    expect(orders).toEqual(['/buy']);
    await life.stop();
    expect(databaseProblems(realm)).toEqual([]);
  });

  it('S4-22 S2-18 a click that is not listed goes by policy: the page is opened again and it is made once more', async () => {
    const realm = realmFor('always');
    const { turnId, orders } = await killedInClick(realm, false);
    const life = await again(realm);
    expect((await life.call('turns.show', { turnId })).turn.state).toBe('completed');
    expect(orders).toEqual(['/buy', '/buy']);
    await life.stop();
  });

  it('S2-18 a frozen browser that did not leave is ended at the next start, and its profile used again', async () => {
    const realm = realmFor('always');
    const { turnId, pid } = await killedInClick(realm, true);
    expect(isAlive(pid)).toBe(true);
    const life = await again(realm);
    expect(isAlive(pid)).toBe(false);
    expect((await life.call('turns.show', { turnId })).turn.state).toBe('completed');
    await life.stop();
    for (const one of browsers(realm)) expect(isAlive(one)).toBe(false);
  });

  it.each(BROWSER_POINTS)(
    'S4-14 at %s the picture is taken again and 1 whole file is there',
    async (point) => {
      const realm = realmFor('always');
      const { site } = await openShop();
      const first = startLife(realm, { crash: { point, hit: 1 } });
      await first.ready();
      const turnId = await first.accept(`picture ${site}`);
      expect(await first.ended).toBe('SIGKILL');
      expect(realm.killedAt).toEqual([point]);
      const life = await again(realm);
      expect((await life.call('turns.show', { turnId })).turn.state).toBe('completed');
      await life.stop();
      const session = path.join(realm.dataDir, 'browser', '1', 'screenshots');
      expect(fs.readdirSync(session)).toEqual([expect.stringMatching(/^[0-9a-f]{32}\.png$/)]);
      expect(databaseProblems(realm)).toEqual([]);
    },
  );
});
