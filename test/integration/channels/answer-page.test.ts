/** Web push and the page that takes an answer: real HTTP, real encryption, a double of a push service. */
import { createPublicKey, verify } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openAnswerSeal } from '../../../electron/adapters/channels/answer-seal';
import { makeToken } from '../../../electron/engine/replies/answer-tokens';
import type { Composition } from '../../../electron/compose/options';
import { startReceiver, type FakeReceiver } from '../../helpers/fake-outside';
import { createPushBrowser } from '../../helpers/push-browser';
import { rawRequest, requestText } from '../../helpers/raw-http';
import { turnIn } from '../../helpers/compose-world';
import {
  createAskingWorld,
  effectsIn,
  refusalsIn,
  refusedRequests,
  type AskingWorld,
} from './questions-world';

let world: AskingWorld;
let service: FakeReceiver;
let life: Composition;
afterEach(async () => {
  await world.site.end();
  await service.down();
});

const PUSH = { kind: 'webpush', contact: 'ann@example.com', questions: true, show_input: true };

async function start(more: Record<string, unknown> = {}, people = ['ann']): Promise<void> {
  service = await startReceiver();
  world = createAskingWorld({ browser: { ...PUSH, decide: { people }, ...more } });
  life = await world.start();
}

const port = (): number =>
  Number(fs.readFileSync(path.join(world.site.world.dataDir, 'run', 'channels.port'), 'utf8'));

/** As a browser asks; `headers` come last. */
async function ask(
  method: string,
  target: string,
  {
    body = '',
    type = 'application/x-www-form-urlencoded',
    headers = {} as Record<string, string>,
  } = {},
) {
  const host = headers['Host'] ?? `127.0.0.1:${String(port())}`;
  const own: Record<string, string> =
    method === 'POST'
      ? {
          Origin: `http://${host}`,
          'Sec-Fetch-Site': 'same-origin',
          'Content-Type': type,
          'Content-Length': String(Buffer.byteLength(body)),
        }
      : { 'Sec-Fetch-Site': 'cross-site' };
  const all = Object.entries({ Host: host, ...own, ...headers });
  return rawRequest(
    port(),
    requestText(
      method,
      target,
      all.filter(([, value]) => value !== ''),
      body,
    ),
  );
}
const form = (token: string): string => new URLSearchParams({ token }).toString();
const decide = (token: string, headers: Record<string, string> = {}, name = 'browser') =>
  ask('POST', `/page/${name}`, { body: form(token), headers });

/** The buttons of a page, by their words. */
const buttonsOf = (html: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...html.matchAll(/name="token" value="([^"]+)"><button>([^<]+)</g)].map(
      ([, token = '', label = '']) => [label, token],
    ),
  );

const browser = createPushBrowser();

const pathOf = (url: unknown): string => new URL(String(url)).pathname;

/** Opens the link as a person does, and sends what the script of the page sends. */
async function subscribe(person?: string, endpoint = service.url) {
  const link = await life.holdfast.call(
    'channels.link',
    { name: 'browser', ...(person === undefined ? {} : { person }) },
    'test',
  );
  const page = await ask('GET', pathOf(link.url));
  const token = /data-token="([^"]+)"/.exec(page.body)?.[1] ?? '';
  const body = JSON.stringify({ token, subscription: { endpoint, keys: browser.keys } });
  const end = await ask('POST', '/page/browser', { body, type: 'application/json' });
  return { page, token, end };
}

const pushed = () => service.posted.map(({ bytes }) => browser.read(bytes));
/** The link of the newest question. */
async function linkIn(count = 1): Promise<string> {
  await expect.poll(() => service.posted.length).toBeGreaterThanOrEqual(count);
  return pathOf(pushed().at(count - 1)?.['url']);
}
const reasons = () => refusalsIn(world.site).map(({ reason }) => reason);
const view = async (requestId: number) =>
  (await life.holdfast.call('approvals.list', { includeAnswered: true }, 'test')).requests.find(
    (one) => one.requestId === requestId,
  );

describe('web push', () => {
  it('CH-01 PH-03 a subscribed browser gets the question encrypted and signed; its page has the facts and decides, and the end replaces the notification', async () => {
    await start();
    const { page, end } = await subscribe();
    expect(page.status).toBe(200);
    expect(page.headers['content-security-policy']).toContain("script-src 'self'");
    expect([end.status, end.body]).toEqual([201, '{"note":"This browser is subscribed."}\n']);
    const requestId = await world.asks(life);
    const link = await linkIn();
    const [sent] = service.posted;
    expect(sent?.headers).toMatchObject({ 'content-encoding': 'aes128gcm', ttl: '86400' });
    expect(isSigned(sent?.headers.authorization ?? '')).toBe(true);
    expect(pushed()[0]).toMatchObject({ text: expect.stringContaining('send_email') as string });
    // Scanners of mail open links more than once.
    await ask('GET', link);
    const shown = await ask('GET', link);
    expect(shown.headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    for (const fact of [
      '<dt>Agent</dt><dd>fake',
      '<dt>Risk</dt>',
      'a@example.org',
      '<dt>Reason</dt>',
    ])
      expect(shown.body).toContain(fact);
    expect(shown.body).not.toContain('<script');
    expect(Object.keys(buttonsOf(shown.body))).toEqual(['Allow once', 'Deny']);
    const second = await decide(buttonsOf(shown.body)['Allow once'] ?? '');
    expect(effectsIn(world.site)).toBe(0);
    expect(Object.keys(buttonsOf(second.body))).toEqual(['Yes, allow once', 'Back']);
    const last = await decide(buttonsOf(second.body)['Yes, allow once'] ?? '');
    expect(last.body).toContain('Allowed once on browser.');
    const now = await view(requestId);
    expect(now).toMatchObject({ answer: 'allowed', by: 'channel:browser:ann' });
    await turnIn(life, now?.turnId ?? 0, ['completed']);
    expect(effectsIn(world.site)).toBe(1);
    await expect.poll(() => pushed().length).toBeGreaterThanOrEqual(2);
    expect(pushed()[1]).toMatchObject({ tag: pushed()[0]?.['tag'], isQuiet: true });
    expect((await ask('GET', link)).body).toContain('Allowed once on browser.');
  });

  it('CH-01 without a browser the question waits and says so; it goes out with the first subscription, and a restart keeps the browser', async () => {
    await start();
    await world.asks(life);
    await expect
      .poll(async () => (await world.site.view(life, 'browser'))?.lastError)
      .toContain('no browser has subscribed');
    await subscribe();
    await linkIn();
    expect(fs.statSync(path.join(world.site.world.dataDir, 'push.json')).mode & 0o777).toBe(0o600);
    await world.site.stop(life);
    life = await world.start();
    const before = service.posted.length;
    await world.asks(life, 'again');
    await expect
      .poll(() =>
        pushed()
          .slice(before)
          .some(({ url }) => url !== undefined),
      )
      .toBe(true);
  });

  it('CH-01 a browser that its push service no longer knows is forgotten, and a long reply comes in pieces', async () => {
    await start();
    await subscribe();
    await life.holdfast.call('channels.test', { name: 'browser' }, 'test');
    expect(pushed()[0]).toMatchObject({ text: expect.stringContaining('A test') as string });
    service.answer = { status: 410 };
    const gone = await life.holdfast.call('channels.test', { name: 'browser' }, 'test');
    expect(gone).toMatchObject({
      ok: false,
      message: expect.stringContaining('no longer') as string,
    });
    const file = path.join(world.site.world.dataDir, 'push.json');
    expect(fs.readFileSync(file, 'utf8').trim()).toBe('{}');
  });
});

/** The token of the sender is signed with the key that the browser subscribed with. RFC 8292 */
function isSigned(authorization: string): boolean {
  const [, jwt = '', key = ''] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(authorization) ?? [];
  const [head = '', claims = '', seal = ''] = jwt.split('.');
  const point = Buffer.from(key, 'base64url');
  const publicKey = createPublicKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
    },
  });
  return verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(seal, 'base64url'),
  );
}

describe('the page of a question', () => {
  it('PH-03 a GET never decides, not even with the link of an answer, and HEAD and other methods are refused', async () => {
    await start();
    await subscribe();
    const requestId = await world.asks(life);
    const page = await ask('GET', await linkIn());
    const deny = buttonsOf(page.body)['Deny'] ?? '';
    expect((await ask('GET', `/page/browser/${deny}`)).status).toBe(200);
    expect((await ask('GET', `/page/browser?token=${deny}`)).status).toBe(403);
    for (const method of ['HEAD', 'PUT', 'DELETE'])
      expect((await ask(method, `/page/browser/${deny}`)).status).toBe(405);
    expect(await view(requestId)).not.toHaveProperty('answer');
  });

  it('PH-03 attack table: what is forged, replayed, stale, too late, of another channel or site decides nothing, and is audited', async () => {
    await start();
    await subscribe();
    const requestId = await world.asks(life);
    const link = await linkIn();
    const deny = buttonsOf((await ask('GET', link)).body)['Deny'] ?? '';
    const tampered = (change: (token: string) => string) => decide(change(deny));
    const table: [string, Promise<{ status: number }>, number, string | undefined][] = [
      ['a token that nobody made', decide('a1.x.y.z'), 403, 'FORGED'],
      ['no token', ask('POST', '/page/browser', { body: '' }), 403, 'FORGED'],
      [
        'another answer under the same seal',
        tampered((t) => t.replace('.d.', '.a.')),
        403,
        'FORGED',
      ],
      [
        'another input under the same seal',
        tampered((t) => t.replace(/\.[0-9a-f]{16}\./, `.${'0'.repeat(16)}.`)),
        403,
        'FORGED',
      ],
      [
        'another person under the same seal',
        tampered((t) => t.replace('.ann.', '.bob.')),
        403,
        'FORGED',
      ],
      ['a later end under the same seal', tampered((t) => t.replace('a1.', 'a1.1')), 403, 'FORGED'],
      ['a link that subscribes', decide('s1.zzzzzz.ann.'.padEnd(60, 'A')), 403, 'FORGED'],
      ['a link of a forged answer', ask('GET', '/page/browser/a1.x.y.z'), 403, 'FORGED'],
      ['another site', decide(deny, { Origin: 'https://evil.example' }), 403, undefined],
      ['a site without an origin', decide(deny, { Origin: '' }), 403, undefined],
      ['an origin that is hidden', decide(deny, { Origin: 'null' }), 403, undefined],
      ['a form of another site', decide(deny, { 'Sec-Fetch-Site': 'cross-site' }), 403, undefined],
      ['another name of this computer', decide(deny, { Host: 'evil.example:80' }), 403, undefined],
      ['another channel', decide(deny, {}, 'other'), 404, undefined],
      ['a body that is too large', decide(`${deny}${'A'.repeat(9_000)}`), 413, undefined],
      ['an address for messages', ask('GET', '/in/browser'), 403, undefined],
    ];
    for (const [what, sent, status] of table)
      expect([what, (await sent).status]).toEqual([what, status]);
    // What the port itself rejects is on record, too, once for each reason.
    await expect
      .poll(() => refusedRequests(world.site).toSorted())
      .toEqual([
        'Only the page itself can send this.',
        'Requests from web pages are rejected.',
        'This is not the address of these pages.',
      ]);
    const expected = table.flatMap(([, , , reason]) => (reason === undefined ? [] : [reason]));
    await expect.poll(() => reasons()).toEqual(expected);
    expect(await view(requestId)).not.toHaveProperty('answer');
    expect(effectsIn(world.site)).toBe(0);
    // It still counts, and once: what is sent at the same time and later finds it decided.
    const ends = await Promise.all([decide(deny), decide(deny)]);
    expect(ends.map(({ body }) => body.includes('Denied on browser.'))).toEqual([true, true]);
    await decide(deny);
    await expect
      .poll(() => reasons().slice(expected.length))
      .toEqual(['REQUEST_ANSWERED', 'REQUEST_ANSWERED']);
  });

  it('PH-03 PH-04 a link that is too old or of another question is refused, and so is one of a person who is no longer listed; without show_input the input stays at the desk', async () => {
    await start({ show_input: false, decide: { people: ['ann'] } });
    await subscribe();
    const requestId = await world.asks(life);
    const link = await linkIn();
    const page = await ask('GET', link);
    expect(page.body).not.toContain('a@example.org');
    expect(page.body).toContain('only shown on your computer');
    const deny = buttonsOf(page.body)['Deny'] ?? '';
    const seal = await openAnswerSeal(path.join(world.site.world.dataDir, 'answers.key'));
    const made = (hash: string, untilMs: number): string => {
      const data = `q1:d:${String(requestId)}:${hash}`;
      return makeToken({ channel: 'browser', person: 'ann', data, untilMs }, seal);
    };
    const [hash = ''] = /[0-9a-f]{16}/.exec(deny) ?? [];
    const late = made(hash, Date.now() - 1_000);
    expect((await ask('GET', `/page/browser/${late}`)).status).toBe(403);
    expect((await decide(late)).body).toContain('came too late');
    const stale = await decide(made('0'.repeat(16), Date.now() + 60_000));
    expect(stale.body).toContain('It has changed since this was sent.');
    expect(await view(requestId)).not.toHaveProperty('answer');
    const own = { browser: { ...PUSH, decide: { people: ['bob'] } } };
    await life.holdfast.call('config.set', { key: 'channels.own', value: own }, 'test');
    expect((await ask('GET', link)).status).toBe(403);
    expect((await decide(deny)).body).toContain('You are not listed');
    await expect
      .poll(() => reasons())
      .toEqual(['EXPIRED', 'EXPIRED', 'REQUEST_STALE', 'NOT_LISTED', 'NOT_LISTED']);
  });

  it('PH-03 other devices reach it at the address that the settings name, and at no other', async () => {
    await start();
    await life.holdfast.call(
      'config.set',
      { key: 'channels.address', value: 'https://box.example.net' },
      'test',
    );
    await subscribe();
    await world.asks(life);
    await expect.poll(() => service.posted.length).toBe(1);
    const url = String(pushed()[0]?.['url']);
    expect(url).toMatch(/^https:\/\/box\.example\.net\/page\/browser\/a1\./);
    const headers = { Host: 'box.example.net', Origin: 'https://box.example.net' };
    const page = await ask('GET', pathOf(url), { headers });
    expect(page.status).toBe(200);
    const end = await decide(buttonsOf(page.body)['Deny'] ?? '', headers);
    expect(end.body).toContain('Denied on browser.');
    // The name opens pages alone.
    expect((await ask('POST', '/in/browser', { headers })).status).toBe(403);
  });

  it('PH-03 a link that subscribes is for one channel and 15 minutes; a forged one shows nothing and stores nothing', async () => {
    await start({}, ['ann', 'bob']);
    await expect(subscribe()).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    const { token } = await subscribe('bob');
    const file = path.join(world.site.world.dataDir, 'push.json');
    expect(fs.readFileSync(file, 'utf8')).toContain('"bob"');
    const forged = token.replace('.bob.', '.ann.');
    expect((await ask('GET', `/page/browser/${forged}`)).status).toBe(403);
    const body = JSON.stringify({
      token: forged,
      subscription: { endpoint: service.url, keys: browser.keys },
    });
    const json = { body, type: 'application/json' };
    expect((await ask('POST', '/page/browser', json)).status).toBe(403);
    const inside = body.replace(forged, token).replace(service.url, 'http://10.0.0.1/internal');
    expect((await ask('POST', '/page/browser', { ...json, body: inside })).status).toBe(400);
    expect(fs.readFileSync(file, 'utf8')).not.toContain('"ann"');
    await expect.poll(() => reasons()).toEqual(['FORGED', 'FORGED']);
  });

  it('PH-03 20 forms that are cut off leave nothing in the log, and the next one is answered', async () => {
    await start();
    await subscribe();
    const head = ['POST /page/browser HTTP/1.1', `Host: 127.0.0.1:${String(port())}`];
    head.push(`Origin: http://127.0.0.1:${String(port())}`, 'Content-Length: 100', '', 'token=');
    for (let n = 0; n < 20; n += 1) {
      const socket = net.connect(port(), '127.0.0.1');
      await new Promise<void>((sent) => socket.write(head.join('\r\n'), () => sent()));
      await new Promise((resolve) => setTimeout(resolve, 20));
      socket.destroy();
    }
    expect((await decide('a1.nothing')).status).toBe(403);
    const log = path.join(world.site.world.dataDir, 'logs', 'holdfast.log');
    expect(fs.existsSync(log) ? fs.readFileSync(log, 'utf8') : '').not.toContain('page_failed');
  });

  it('PH-03 one link subscribes at most 10 browsers, displaces no browser of another person, and the file stays readable', async () => {
    await start({}, ['ann', 'bob']);
    await subscribe('ann');
    const { token } = await subscribe('bob', 'http://127.0.0.1:9/first');
    for (let n = 0; n < 60; n += 1) {
      const endpoint = `http://127.0.0.1:9/${String(n)}/${'x'.repeat(1_900)}`;
      const body = JSON.stringify({ token, subscription: { endpoint, keys: browser.keys } });
      const end = await ask('POST', '/page/browser', { body, type: 'application/json' });
      expect(end.status).toBe(201);
    }
    const file = path.join(world.site.world.dataDir, 'push.json');
    const kept = (JSON.parse(fs.readFileSync(file, 'utf8')) as Record<string, object[]>)['browser'];
    expect(kept).toHaveLength(11);
    expect(kept?.at(-1)).toMatchObject({ endpoint: expect.stringContaining('/59/') as string });
    await world.asks(life);
    await expect.poll(() => service.posted.length).toBe(1);
  });

  it('PH-03 a person who is no longer listed gets nothing more', async () => {
    await start({}, ['ann', 'bob']);
    await subscribe('ann');
    await subscribe('bob', `${service.url}bob`);
    await life.holdfast.call(
      'config.set',
      { key: 'channels.own', value: { browser: { ...PUSH, decide: { people: ['ann'] } } } },
      'test',
    );
    const paths = () => service.posted.map((one) => one.path);
    await world.asks(life);
    await expect.poll(paths).toEqual(['/hook']);
  });

  it('PH-03 whoever has only the address cannot fill the disk: of 1,100 links that nobody made, the first 1,000 are audited', async () => {
    await start();
    await subscribe();
    for (let sent = 0; sent < 1_100; sent += 10)
      await Promise.all(
        Array.from({ length: 10 }, (_, at) =>
          ask('GET', `/page/browser/s1.${String(sent + at)}.x`),
        ),
      );
    await expect.poll(() => reasons().length).toBe(1_000);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(reasons().length).toBe(1_000);
  });
});
