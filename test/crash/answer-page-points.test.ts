/** A process that is killed between an answer on its page and what the page says. PH-03, CH-01 */
import { createECDH } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import fs from 'node:fs';
import path from 'node:path';
import { openAnswerSeal } from '../../electron/adapters/channels/answer-seal';
import { makeToken } from '../../electron/engine/replies/answer-tokens';
import { pressData } from '../../electron/engine/replies/question-text';
import { startReceiver, type FakeReceiver } from '../helpers/fake-outside';
import { databaseProblems } from './evidence';
import { createRealm, effectsOf, endLives, inEveryMode, startLife, type Mode } from './lives';
import { PUSH_POINTS } from './own-workloads';
import type { Life, Realm } from './realm';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  endLives();
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

async function pageRealm(mode: Mode): Promise<{ realm: Realm; service: FakeReceiver }> {
  const service = await startReceiver();
  cleanUps.push(() => service.down());
  const realm = createRealm(mode, {
    'observability.enabled': false,
    'channels.port': 0,
    'channels.own': {
      browser: {
        kind: 'webpush',
        contact: 'ann@example.com',
        questions: true,
        decide: { people: ['ann'] },
      },
    },
  });
  cleanUps.push(() => realm.remove());
  return { realm, service };
}

const originOf = (realm: Realm): string =>
  `http://127.0.0.1:${fs.readFileSync(path.join(realm.dataDir, 'run', 'channels.port'), 'utf8').trim()}`;

const send = (realm: Realm, type: string, body: string): Promise<Response> =>
  fetch(`${originOf(realm)}/page/browser`, {
    method: 'POST',
    headers: { Origin: originOf(realm), 'Content-Type': type },
    body,
  });

const kept = (realm: Realm): unknown => {
  const file = path.join(realm.dataDir, 'push.json');
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : undefined;
};

async function subscribe(realm: Realm, life: Life, endpoint: string): Promise<void> {
  const { url } = await life.call('channels.link', { name: 'browser' });
  const browser = createECDH('prime256v1');
  browser.generateKeys();
  const keys = {
    p256dh: browser.getPublicKey('base64url'),
    auth: Buffer.alloc(16, 7).toString('base64url'),
  };
  const token = url.slice(url.lastIndexOf('/') + 1);
  const body = JSON.stringify({ token, subscription: { endpoint, keys } });
  expect((await send(realm, 'application/json', body)).status).toBe(201);
}

const portOpened = (realm: Realm): Promise<void> =>
  expect.poll(() => fs.existsSync(path.join(realm.dataDir, 'run', 'channels.port'))).toBe(true);

describe('a process that is killed at', () => {
  it.each(PUSH_POINTS)(
    'CH-01 %s has the browser whole or not at all, and never tells it what is not on disk: subscribed again it is there once, and gets its question, in 3 modes',
    async (point) => {
      await inEveryMode(async (mode) => {
        const { realm, service } = await pageRealm(mode);
        const first = startLife(realm, { crash: { point, hit: 1 } });
        await first.ready();
        await portOpened(realm);
        await expect(subscribe(realm, first, service.url)).rejects.toThrow('fetch failed');
        expect(await first.ended).toBe('SIGKILL');
        expect(realm.killedAt).toEqual([point]);
        const one = { person: 'ann', endpoint: service.url };
        const isThere = point === 'push.write.afterRename';
        if (isThere) expect(kept(realm)).toMatchObject({ browser: [one] });
        else expect(kept(realm)).toBeUndefined();
        fs.rmSync(path.join(realm.dataDir, 'run', 'channels.port'));
        const life = startLife(realm);
        await life.ready();
        await portOpened(realm);
        await subscribe(realm, life, service.url);
        expect(kept(realm)).toMatchObject({ browser: [one] });
        await life.call('send', { text: 'asked a1', agent: 'fake' });
        await expect.poll(() => service.posted.length).toBe(1);
        await life.stop();
        expect(databaseProblems(realm)).toEqual([]);
      });
    },
  );

  it.each(PUSH_POINTS)(
    'CH-01 %s: a browser that its service no longer knows is still there or gone for good; the question stays, and a browser that subscribes next gets the following one, in 3 modes',
    async (point) => {
      await inEveryMode(async (mode) => {
        const { realm, service } = await pageRealm(mode);
        const first = startLife(realm);
        await first.ready();
        await portOpened(realm);
        await subscribe(realm, first, service.url);
        await first.ask({ kind: 'arm', point });
        service.answer = { status: 410 };
        first.call('send', { text: 'asked a1', agent: 'fake' }).catch(() => undefined);
        expect(await first.ended).toBe('SIGKILL');
        expect(realm.killedAt).toEqual([point]);
        const isGone = point === 'push.write.afterRename';
        expect(JSON.stringify(kept(realm)).includes(service.url)).toBe(!isGone);
        const life = startLife(realm);
        await life.ready();
        await expect
          .poll(async () => (await life.call('approvals.list', {})).requests.length)
          .toBe(1);
        await expect.poll(() => JSON.stringify(kept(realm))).not.toContain(service.url);
        service.answer = { status: 201 };
        const before = service.posted.length;
        fs.rmSync(path.join(realm.dataDir, 'run', 'channels.port'), { force: true });
        await life.stop();
        const last = startLife(realm);
        await last.ready();
        await portOpened(realm);
        await subscribe(realm, last, service.url);
        await last.call('send', { text: 'asked a2', agent: 'fake', session: 'other' });
        await expect.poll(() => service.posted.length).toBeGreaterThan(before);
        await last.stop();
        expect(databaseProblems(realm)).toEqual([]);
      });
    },
  );

  it.each(['approval.answer.before', 'approval.answer.after'] as const)(
    'PH-03 CH-01 %s has taken an answer of the page once: sent again after the kill it decides once, and its browser is still subscribed, in 3 modes',
    async (point) => {
      await inEveryMode(async (mode) => {
        const { realm, service } = await pageRealm(mode);
        const first = startLife(realm, { crash: { point, hit: 1 } });
        await first.ready();
        await portOpened(realm);
        await subscribe(realm, first, service.url);
        await first.call('send', { text: 'asked a1', agent: 'fake' });
        await expect.poll(() => service.posted.length).toBe(1);
        const [request] = (await first.call('approvals.list', {})).requests;
        // The link of the notification is encrypted for the browser; the window could print the same.
        const token = await tokenFor(realm, request);
        await expect(
          send(realm, FORM, new URLSearchParams({ token }).toString()),
        ).rejects.toThrow();
        expect(await first.ended).toBe('SIGKILL');
        const life = startLife(realm);
        await life.ready();
        const said = await eventually(() =>
          send(realm, FORM, new URLSearchParams({ token }).toString()),
        );
        expect(await said.text()).toContain('Denied on browser.');
        const { requests } = await life.call('approvals.list', { includeAnswered: true });
        expect(requests.map(({ answer, by }) => [answer, by])).toEqual([
          ['denied', 'channel:browser:ann'],
        ]);
        // What became of it goes to the browser that subscribed in the life before.
        await expect.poll(() => service.posted.length).toBeGreaterThan(1);
        await life.stop();
        expect(effectsOf(realm).filter(({ tool }) => tool === 'ask_me')).toEqual([]);
        expect(databaseProblems(realm)).toEqual([]);
      });
    },
  );
});

const FORM = 'application/x-www-form-urlencoded';

async function tokenFor(
  realm: Realm,
  request: { readonly requestId: number; readonly requestHash: string } | undefined,
): Promise<string> {
  const seal = await openAnswerSeal(path.join(realm.dataDir, 'answers.key'));
  const { requestId = 0, requestHash = '' } = request ?? {};
  return makeToken(
    {
      channel: 'browser',
      person: 'ann',
      data: pressData('deny', requestId, requestHash),
      untilMs: Date.now() + 60_000,
    },
    seal,
  );
}

/** Its server listens a moment after the start. */
async function eventually(ask: () => Promise<Response>): Promise<Response> {
  let response: Response | undefined;
  await expect.poll(async () => (response = await ask().catch(() => undefined))?.status).toBe(200);
  if (response === undefined) throw new Error('no answer');
  return response;
}
