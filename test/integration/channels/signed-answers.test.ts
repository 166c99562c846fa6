/** Questions with signed answers: a webhook whose receiver sends them back, over real sockets. */
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import { HoldfastError } from '../../../electron/engine/kernel/errors';
import { startReceiver, type FakeReceiver } from '../../helpers/fake-outside';
import { turnIn } from '../../helpers/compose-world';
import { createAskingWorld, effectsIn, refusalsIn, type AskingWorld } from './questions-world';
import { SLACK } from '../../helpers/slack';

interface Answer {
  readonly person: string;
  readonly label: string;
  readonly token: string;
}
interface PostedQuestion {
  readonly id: string;
  readonly question: string;
  readonly state: string;
  readonly text: string;
  readonly answers: readonly Answer[];
}

let world: AskingWorld;
let receiver: FakeReceiver;
afterEach(async () => {
  await world.site.end();
  await receiver.down();
});

async function start(
  more: Record<string, unknown> = {},
  extra: Parameters<AskingWorld['start']>[0] = {},
): Promise<Composition> {
  receiver = await startReceiver();
  const hook = {
    kind: 'webhook',
    url: receiver.url,
    questions: true,
    show_input: true,
    decide: { people: ['ann', 'bob'] },
    ...more,
  };
  world = createAskingWorld({ hook });
  const life = await world.start(extra);
  const portFile = path.join(world.site.world.dataDir, 'run', 'channels.port');
  if (hook.decide !== undefined) await expect.poll(() => fs.existsSync(portFile)).toBe(true);
  return life;
}

const told = (): readonly PostedQuestion[] =>
  receiver.posted.map(({ body }) => JSON.parse(body) as PostedQuestion);
async function asked(count = 1): Promise<PostedQuestion> {
  await expect.poll(() => told().length).toBe(count);
  return told().at(-1) as PostedQuestion;
}
const token = (one: Pick<PostedQuestion, 'answers'>, label: string, person = 'ann'): string =>
  one.answers.find((answer) => answer.label === label && answer.person === person)?.token ?? '';

const inDataDir = (...name: string[]): string =>
  fs.readFileSync(path.join(world.site.world.dataDir, ...name), 'utf8').trim();

/** What the receiver sends back, and what it is told. */
async function send(
  body: unknown,
  { path: to = '/answer/hook', bearer = inDataDir('channels.token') } = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`http://127.0.0.1:${inDataDir('run', 'channels.port')}${to}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${bearer}` },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return {
    status: response.status,
    body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
  };
}

const view = async (life: Composition, requestId: number) =>
  (await life.holdfast.call('approvals.list', { includeAnswered: true }, 'test')).requests.find(
    (one) => one.requestId === requestId,
  );

describe('a question on a webhook', () => {
  it('PH-01 PH-03 that is open at a start is sent when its answer can come back, and not before', async () => {
    receiver = await startReceiver();
    world = createAskingWorld({});
    const before = await world.start();
    await world.asks(before);
    await world.site.stop(before);
    const hook = {
      kind: 'webhook',
      url: receiver.url,
      questions: true,
      decide: { people: ['ann'] },
    };
    world.site.configure({
      channels: { own: { hook }, default: 'window' },
      approvals: { tools: { 'fake.*': 'ask' } },
    });
    const portFile = path.join(world.site.world.dataDir, 'run', 'channels.port');
    const isOpen: boolean[] = [];
    receiver.onPost = () => {
      if (told().at(-1)?.question !== undefined) isOpen.push(fs.existsSync(portFile));
    };
    await world.start();
    await expect.poll(() => isOpen).toEqual([true]);
    const one = told().at(-1) as PostedQuestion;
    expect((await send({ token: token(one, 'Deny'), person: 'ann' })).status).toBe(200);
  });

  it('PH-01 PH-03 is sent where the port of its answers is taken, as the window takes the answer', async () => {
    const taken = net.createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    receiver = await startReceiver();
    const hook = {
      kind: 'webhook',
      url: receiver.url,
      questions: true,
      decide: { people: ['ann'] },
    };
    world = createAskingWorld({ hook });
    world.site.configure({
      channels: {
        own: { hook },
        default: 'window',
        port: (taken.address() as net.AddressInfo).port,
      },
      approvals: { tools: { 'fake.*': 'ask' } },
    });
    await world.asks(await world.start());
    await asked();
    taken.close();
  });

  it('PH-01 PH-03 brings each person answers of their own; the second confirmation and the end follow, and the call runs once', async () => {
    const life = await start();
    const requestId = await world.asks(life);
    const one = await asked();
    expect(one).toMatchObject({ kind: 'question', state: 'open' });
    expect(one.answers.map(({ person, label }) => `${person} ${label}`)).toEqual([
      'ann Allow once',
      'ann Deny',
      'ann Details',
      'bob Allow once',
      'bob Deny',
      'bob Details',
    ]);
    const first = await send({ token: token(one, 'Allow once'), person: 'ann' });
    expect(first).toMatchObject({ status: 200, body: { note: '' } });
    expect(effectsIn(world.site)).toBe(0);
    const next = { answers: first.body['answers'] as readonly Answer[] };
    expect(next.answers.map(({ person }) => person)).toEqual(['ann', 'ann']);
    const second = await send({ token: token(next, 'Yes, allow once') });
    expect(second).toEqual({ status: 200, body: { note: 'Allowed once on hook.' } });
    const end = await asked(2);
    expect(end).toMatchObject({ question: one.id, state: 'closed', answers: [] });
    expect(end.text).toContain('Allowed once on hook.');
    expect(end.id).not.toBe(one.id);
    const now = await view(life, requestId);
    expect(now).toMatchObject({ answer: 'allowed', by: 'channel:hook:ann' });
    await turnIn(life, now?.turnId ?? 0, ['completed']);
    expect(effectsIn(world.site)).toBe(1);
  });

  it('PH-03 an answer that a disk refuses is not used up: 503, and the same token counts when it is sent again', async () => {
    let isFull = true;
    const life = await start(
      {},
      {
        crashPoints: {
          hit(name: string) {
            if (name === 'approval.answer.before' && isFull)
              throw new HoldfastError('DISK_FULL', 'The disk is full.', { retryable: true });
          },
        },
      },
    );
    const requestId = await world.asks(life);
    const one = await asked();
    expect(await send({ token: token(one, 'Deny') })).toEqual({
      status: 503,
      body: { error: { code: 'ANSWER_NOT_TAKEN', message: 'The disk is full.' } },
    });
    expect(await view(life, requestId)).not.toHaveProperty('answer');
    isFull = false;
    expect(await send({ token: token(one, 'Deny') })).toMatchObject({ status: 200 });
    expect(await view(life, requestId)).toMatchObject({ answer: 'denied' });
  });

  it('PH-05 another device was first: the receiver learns it within 2 s, and its answers decide nothing', async () => {
    const life = await start();
    const requestId = await world.asks(life);
    const one = await asked();
    const { requestHash = '' } = (await view(life, requestId)) ?? {};
    const answeredAtMs = Date.now();
    await life.holdfast.call('approvals.deny', { requestId, requestHash }, 'window');
    expect((await asked(2)).text).toContain('Denied in the window.');
    expect(Date.now() - answeredAtMs).toBeLessThan(2_000 * SLACK);
    expect(await send({ token: token(one, 'Allow once') })).toMatchObject({
      status: 200,
      body: { note: 'Denied in the window.' },
    });
    await expect.poll(() => refusalsIn(world.site)).toMatchObject([{ reason: 'REQUEST_ANSWERED' }]);
    expect(effectsIn(world.site)).toBe(0);
  });

  it('PH-03 an answer counts once: sent again, at once and after a restart, it does nothing more', async () => {
    const life = await start();
    await world.asks(life);
    const one = await asked();
    const body = { token: token(one, 'Deny') };
    const ends = await Promise.all([send(body), send(body), send(body)]);
    expect(ends.map((end) => end.body['note'])).toEqual(Array(3).fill('Denied on hook.'));
    await world.site.stop(life);
    await world.start();
    await expect.poll(() => send(body).catch(() => undefined)).toMatchObject({ status: 200 });
    await expect
      .poll(() => refusalsIn(world.site).map(({ reason }) => reason))
      .toEqual(Array(3).fill('REQUEST_ANSWERED'));
  });

  it.each([
    ['a token that nobody made', (t: string) => ({ token: t.replace(/.$/, '!') }), 'FORGED'],
    [
      'another answer under the same seal',
      (t: string) => ({ token: t.replace('.a.', '.A.') }),
      'FORGED',
    ],
    [
      'another input under the same seal',
      (t: string) => ({ token: t.replace(/\.[0-9a-f]{16}\./, `.${'0'.repeat(16)}.`) }),
      'FORGED',
    ],
    ['a token of somebody else', (t: string) => ({ token: t, person: 'bob' }), 'WRONG_PERSON'],
    ['the plain data of a button', () => ({ token: 'q1:A:1:0000000000000000' }), 'FORGED'],
  ] as const)('PH-03 refuses and audits %s, and decides nothing', async (_what, forge, reason) => {
    const life = await start();
    const requestId = await world.asks(life);
    const one = await asked();
    const end = await send(forge(token(one, 'Allow once')));
    expect(end).toMatchObject({ status: 403, body: { error: { code: 'ANSWER_REFUSED' } } });
    await expect.poll(() => refusalsIn(world.site)).toMatchObject([{ reason, channel: 'hook' }]);
    expect(await view(life, requestId)).not.toHaveProperty('answer');
    expect(effectsIn(world.site)).toBe(0);
  });

  it('PH-03 refuses and audits an answer of a person who is no longer listed, and one that may no longer be given there', async () => {
    const life = await start();
    const requestId = await world.asks(life);
    const one = await asked();
    const own = {
      hook: {
        kind: 'webhook',
        url: receiver.url,
        questions: true,
        decide: { people: ['bob'], calls: 'local' },
      },
    };
    await life.holdfast.call('config.set', { key: 'channels.own', value: own }, 'test');
    await send({ token: token(one, 'Deny') });
    await send({ token: token(one, 'Allow once', 'bob') });
    await expect
      .poll(() => refusalsIn(world.site).map(({ reason }) => reason))
      .toEqual(['NOT_LISTED', 'NOT_HERE']);
    expect(await view(life, requestId)).not.toHaveProperty('answer');
    expect(effectsIn(world.site)).toBe(0);
  });

  it('PH-03 takes answers only from who has the token of the channels, only for a channel with people who decide, and no messages there', async () => {
    const life = await start();
    await world.asks(life);
    const body = { token: token(await asked(), 'Deny') };
    expect((await send(body, { bearer: '0'.repeat(64) })).status).toBe(401);
    expect((await send(body, { path: '/answer/other' })).status).toBe(404);
    expect((await send({ text: 'work' }, { path: '/in/hook' })).status).toBe(404);
    expect((await send({ answer: body.token })).status).toBe(400);
    expect((await life.holdfast.call('turns.list', {}, 'test')).turns).toHaveLength(1);
    expect(refusalsIn(world.site)).toEqual([]);
  });

  it('PH-03 the key of the answers is for this user alone; without it, earlier answers are refused and the question stays open', async () => {
    const life = await start();
    const requestId = await world.asks(life);
    const one = await asked();
    const key = path.join(world.site.world.dataDir, 'answers.key');
    expect(fs.statSync(key).mode & 0o777).toBe(0o600);
    expect(JSON.stringify(told())).not.toContain(fs.readFileSync(key, 'utf8').trim());
    await world.site.stop(life);
    fs.rmSync(key);
    const again = await world.start();
    await expect
      .poll(() => send({ token: token(one, 'Deny') }).catch(() => undefined))
      .toMatchObject({ status: 403 });
    expect(await view(again, requestId)).not.toHaveProperty('answer');
  });

  it('PH-04 without people the question brings no answers, and nothing listens for any', async () => {
    const life = await start({ decide: undefined });
    await world.asks(life);
    expect(await asked()).toMatchObject({ state: 'open', answers: [] });
    expect(fs.existsSync(path.join(world.site.world.dataDir, 'run', 'channels.port'))).toBe(false);
    expect(fs.existsSync(path.join(world.site.world.dataDir, 'answers.key'))).toBe(false);
  });
});
