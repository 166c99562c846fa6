/** Answers on their way out: real HTTP on this computer, real programs. */
import { createHmac } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import { REPEAT_NOTE } from '../../../electron/engine/replies/reply-attempt';
import { turnIn } from '../../helpers/compose-world';
import { startReceiver, type FakeReceiver } from '../../helpers/fake-outside';
import { createFakeChannel, linesOf } from '../../helpers/fake-world';
import { createChannelsWorld, type ChannelsWorld } from './channels-world';

const SECRET = 'canary-secret-of-the-webhook-42';

let site: ChannelsWorld;
let receiver: FakeReceiver | undefined;
afterEach(async () => {
  await site.end();
  await receiver?.down();
  receiver = undefined;
});

/** A turn whose answer belongs to a channel and a peer. */
async function run(
  life: Composition,
  channel: string,
  peer: string,
  prompt = 'look',
): Promise<number> {
  const task = await life.holdfast.call(
    'tasks.add',
    { prompt, schedule: 'every 1h', agent: 'fake', channel, peer },
    'test',
  );
  const { turnId } = await life.holdfast.call('tasks.run', { taskId: task.id }, 'test');
  await turnIn(life, turnId, ['completed', 'failed']);
  return turnId;
}
const bodies = (): { id: string; peer: string; text: string; kind: string }[] =>
  (receiver?.posted ?? []).map(({ body }) => JSON.parse(body) as never);
const allFiles = (dir: string): string[] =>
  fs
    .readdirSync(dir, { recursive: true, withFileTypes: true })
    .flatMap((one) => (one.isFile() ? [path.join(one.parentPath, one.name)] : []));

describe('a webhook', () => {
  it('S1-02 S1-11 takes the answer of a task once, signed over time and body, with an id; the secret is in no file', async () => {
    receiver = await startReceiver();
    site = createChannelsWorld({
      team: { kind: 'webhook', url: receiver.url, secret_env: 'TEAM_SECRET' },
    });
    const life = await site.start({ env: { PATH: process.env['PATH'], TEAM_SECRET: SECRET } });
    const turnId = await run(life, 'team', 'anna');
    await expect.poll(() => bodies().length).toBe(1);
    const [posted] = receiver.posted;
    const [body] = bodies();
    expect(body).toMatchObject({ kind: 'answer', peer: 'anna', channel: 'team' });
    expect(body?.text).toContain('re: ');
    expect(body?.id).toMatch(new RegExp(`:turn:${String(turnId)}$`));
    expect(posted?.headers).toMatchObject({ 'idempotency-key': body?.id });
    const [, seconds = '', mac] =
      /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(posted?.headers['holdfast-signature'])) ?? [];
    expect(mac).toBe(
      createHmac('sha256', SECRET)
        .update(`${seconds}.${posted?.body ?? ''}`)
        .digest('hex'),
    );
    await expect.poll(async () => (await site.view(life, 'team'))?.delivered).toBe(1);
    await site.stop(life);
    for (const file of allFiles(site.world.dataDir))
      expect(fs.readFileSync(file, 'latin1').includes(SECRET), file).toBe(false);
  });

  it('R1 an answer that quotes keys in use arrives without them, however they are written and however long it is; the window has it whole', async () => {
    receiver = await startReceiver();
    const KEY = 'canary-of-a-channel-key-4417';
    const answer = [
      `The file says TEAM_SECRET=${SECRET}.`,
      `Its code is ${Buffer.from(SECRET).toString('base64')}.`,
      'nothing to see here\n'.repeat(10_000),
      `The other one is ${KEY}; the documentation writes Bearer abcdef123456abcdef.`,
    ].join('\n');
    site = createChannelsWorld(
      { team: { kind: 'webhook', url: receiver.url, secret_env: 'TEAM_SECRET' } },
      {},
      () => answer,
    );
    const life = await site.start({ env: { PATH: process.env['PATH'], TEAM_SECRET: SECRET } });
    const channel = { kind: 'webhook' as const, url: receiver.url };
    await life.holdfast.call('channels.add', { name: 'more', channel, key: KEY }, 'test');
    const turnId = await run(life, 'team', 'anna');
    await expect.poll(() => bodies().length).toBe(1);
    const text = bodies()[0]?.text ?? '';
    expect(text).toContain('The file says TEAM_SECRET=[redacted].');
    expect(text).toContain('Its code is [redacted].');
    expect(text).toContain('The other one is [redacted]; the documentation writes Bearer abcdef');
    expect(text.length).toBeGreaterThan(190_000);
    const { answer: kept } = await life.holdfast.call('turns.show', { turnId }, 'test');
    expect(kept).toContain(SECRET);
  });

  it('S1-02 is made with a secret that is in no setting, signed with it and with the next one, and removed with it', async () => {
    receiver = await startReceiver();
    site = createChannelsWorld({});
    const life = await site.start();
    const ask = life.holdfast.call.bind(life.holdfast);
    const channel = { kind: 'webhook' as const, url: receiver.url };
    const made = await ask('channels.add', { name: 'team', channel, key: SECRET }, 'test');
    expect(made).toMatchObject({ state: 'ready', key: { present: true, last4: 'k-42' } });
    await expect(ask('channels.add', { name: 'team', channel }, 'test')).rejects.toMatchObject({
      code: 'CHANNEL_EXISTS',
    });
    await ask('channels.test', { name: 'team' }, 'test');
    await ask('channels.setKey', { name: 'team', key: 'another-secret-of-it' }, 'test');
    await ask('channels.test', { name: 'team' }, 'test');
    const isSigned = (at: number, secret: string): boolean => {
      const posted = receiver?.posted[at];
      const body = posted?.body ?? '';
      const [, seconds = '', mac = ''] =
        /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(posted?.headers['holdfast-signature'])) ?? [];
      return createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex') === mac;
    };
    expect([isSigned(0, SECRET), isSigned(1, 'another-secret-of-it')]).toEqual([true, true]);
    await ask('channels.edit', { name: 'team', channel: { ...channel, enabled: false } }, 'test');
    expect(await site.view(life, 'team')).toMatchObject({ state: 'off', key: { present: true } });
    expect(JSON.stringify(await ask('config.list', {}, 'test'))).not.toContain('secret-of');
    expect(await ask('channels.remove', { name: 'team' }, 'test')).toEqual({
      name: 'team',
      pending: 0,
      defaultChannel: 'window',
    });
    expect(await ask('channels.add', { name: 'team', channel }, 'test')).toMatchObject({
      key: { present: false },
    });
    for (const [name, code] of [
      ['window', 'CHANNEL_UNKNOWN'],
      ['nobody', 'CHANNEL_UNKNOWN'],
    ] as const)
      await expect(ask('channels.remove', { name }, 'test')).rejects.toMatchObject({ code });
  });

  it('S0-06 says of 2 built-in channels that they cannot be changed, and of 4 other names that there is none, however they are written', async () => {
    receiver = await startReceiver();
    site = createChannelsWorld({});
    const life = await site.start();
    const said = (name: string): Promise<string> =>
      life.holdfast.call('channels.remove', { name }, 'test').then(
        () => 'removed',
        (error: unknown) => String((error as Error).message),
      );
    for (const name of ['window', 'desktop'])
      expect(await said(name)).toBe(`The channel "${name}" is built in and cannot be changed.`);
    for (const name of ['nothing', 'no such', '1st', 'none'])
      expect(await said(name)).toBe(`There is no channel "${name}".`);
  });

  it('S1-02 S3-15 holds 3 answers while it is down, says how many wait and why, and takes each once, in order, when it is back; a restart in between changes nothing', async () => {
    receiver = await startReceiver();
    await receiver.down();
    site = createChannelsWorld({ team: { kind: 'webhook', url: receiver.url } });
    const life = await site.start();
    for (const peer of ['a', 'b', 'c']) await run(life, 'team', peer);
    await expect
      .poll(async () => site.view(life, 'team'))
      .toMatchObject({
        pending: 3,
        delivered: 0,
        lastError: expect.stringContaining('ECONNREFUSED') as string,
        nextTryAtMs: expect.any(Number) as number,
      });
    await site.stop(life);
    const again = await site.start();
    expect(await site.view(again, 'team')).toMatchObject({ pending: 3 });
    await receiver.up();
    await expect.poll(() => bodies().length).toBeGreaterThanOrEqual(3);
    await expect.poll(async () => (await site.view(again, 'team'))?.pending).toBe(0);
    const answers = bodies().filter((one) => one.kind === 'answer');
    expect(answers.map((one) => one.peer)).toEqual(['a', 'b', 'c']);
    expect(new Set(answers.map((one) => one.id)).size).toBe(3);
  });

  it.each([
    [
      'a redirect, which is not followed',
      { status: 302, headers: { Location: 'http://127.0.0.1:1/' } },
      /redirect \(302\)/,
    ],
    ['status 500', { status: 500 }, /status 500/],
    ['silence beyond its time', 'silence', /no answer in time/],
  ] as const)('S1-02 that answers with %s has not taken it', async (_what, answer, error) => {
    receiver = await startReceiver();
    receiver.answer = answer;
    site = createChannelsWorld({ team: { kind: 'webhook', url: receiver.url, timeout: '2s' } });
    const life = await site.start();
    const said = await life.holdfast.call('channels.test', { name: 'team' }, 'test');
    expect(said).toMatchObject({ ok: false, message: expect.stringMatching(error) as string });
    expect(receiver.posted).toHaveLength(1);
    receiver.answer = { status: 204 };
    expect(await life.holdfast.call('channels.test', { name: 'team' }, 'test')).toMatchObject({
      ok: true,
    });
  });

  it('S1-02 that names a wait with 429 is asked again after it and not before, which opens no breaker', async () => {
    receiver = await startReceiver();
    receiver.answer = { status: 429, headers: { 'Retry-After': '6' } };
    site = createChannelsWorld({ team: { kind: 'webhook', url: receiver.url } });
    const life = await site.start();
    const began = performance.now();
    await run(life, 'team', 'a');
    await expect.poll(() => receiver?.posted.length).toBe(1);
    receiver.answer = { status: 200 };
    await run(life, 'team', 'b');
    expect(await site.view(life, 'team')).toMatchObject({ breaker: 'closed', pending: 2 });
    await expect.poll(() => receiver?.posted.length).toBe(3);
    expect(performance.now() - began).toBeGreaterThan(5_900);
    expect(bodies().map((one) => one.peer)).toEqual(['a', 'a', 'b']);
  });
});

describe('a program', () => {
  const script = (name: string, text: string): string => {
    const file = path.join(site.world.root, name);
    fs.writeFileSync(file, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    return file;
  };

  it('S1-02 S2-+05 gets the answer on standard input, its arguments as they are, who it is for in its environment, and no secret but the one declared', async () => {
    site = createChannelsWorld({});
    const out = path.join(site.world.outside, 'heard');
    const command = script(
      'tell',
      `{ printf '%s|' "$@"; echo; cat; echo; env; } > '${out}.part'; mv '${out}.part' '${out}'`,
    );
    site.configure({
      channels: {
        own: { say: { kind: 'command', command, args: ['$(id)', 'b c'], env: ['PASSED_KEY'] } },
      },
    });
    const life = await site.start({
      env: {
        PATH: process.env['PATH'],
        HOME: site.world.outside,
        OTHER_TOKEN: 'canary-other',
        PASSED_KEY: 'k',
      },
    });
    await run(life, 'say', 'anna', 'hello');
    await expect.poll(() => fs.existsSync(out)).toBe(true);
    const heard = fs.readFileSync(out, 'utf8');
    expect(heard).toMatch(/^\$\(id\)\|b c\|\nre: /);
    expect(heard).toContain('HOLDFAST_PEER=anna');
    expect(heard).toMatch(/HOLDFAST_DELIVERY_ID=.*:turn:\d+/);
    expect(heard).toContain('PASSED_KEY=k');
    expect(heard).not.toContain('canary-other');
  });

  it('S1-02 that ends with 3, hangs or is not there has not taken it, and says so', async () => {
    site = createChannelsWorld({});
    const test = async (command: string, timeout = '60s'): Promise<string> => {
      site.configure({
        channels: { own: { say: { kind: 'command', command, timeout } } },
      });
      const life = await site.start();
      const said = await life.holdfast.call('channels.test', { name: 'say' }, 'test');
      expect(said.ok).toBe(false);
      await site.stop(life);
      return said.message;
    };
    expect(await test(script('no', 'cat >/dev/null; echo "the line is busy" >&2; exit 3'))).toBe(
      'say: the program ended with 3: the line is busy',
    );
    expect(await test(script('hangs', 'exec tail -f /dev/null'), '300ms')).toContain(
      'did not end in time',
    );
    expect(await test('/nowhere/at/all')).toContain('cannot be started');
  });
});

describe('a program that is not as it should be', () => {
  const make = (text: string, timeout = '10s'): string => {
    site = createChannelsWorld({});
    const command = path.join(site.world.root, 'tell');
    fs.writeFileSync(command, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    site.configure({ channels: { own: { say: { kind: 'command', command, timeout } } } });
    return path.join(site.world.outside, 'heard');
  };
  const words = 'canary-word-of-the-program';

  it('S1-02 prints 20 MB and takes the answer all the same; what it prints is kept nowhere', async () => {
    make(`cat >/dev/null; yes ${words} | head -c 20000000; yes ${words} | head -c 20000000 >&2`);
    const life = await site.start();
    await run(life, 'say', 'anna');
    await expect
      .poll(() => site.view(life, 'say'))
      .toMatchObject({ pending: 0, delivered: 1, failures: 0 });
    await site.stop(life);
    for (const file of allFiles(site.world.dataDir))
      expect(fs.readFileSync(file, 'latin1').includes(words), file).toBe(false);
  });

  it('S1-02 prints 20 MB without an end of line and ends with 3: the error has 300 characters of it', async () => {
    make("cat >/dev/null; head -c 20000000 /dev/zero | tr '\\0' x; exit 3");
    const life = await site.start();
    const said = await life.holdfast.call('channels.test', { name: 'say' }, 'test');
    expect(said).toMatchObject({ ok: false });
    expect(said.message).toMatch(/^say: the program ended with 3/);
    expect(said.message.length).toBeLessThan(400);
  });

  it('S1-02 takes an answer of 20,000 characters without reading it, for a peer with a NUL in its name: what counts is that it ends with 0', async () => {
    make('exit 0');
    const life = await site.start();
    await run(life, 'say', 'an\0na', 'x'.repeat(20_000));
    await expect
      .poll(() => site.view(life, 'say'))
      .toMatchObject({ pending: 0, delivered: 1, failures: 0 });
  });
});

describe('a program that gets an answer a second time', () => {
  it.each([
    [
      'did not end in time, may have sent it: the second text says so',
      'exec tail -f /dev/null',
      true,
    ],
    ['ended with 3, has not sent it: the second text is the first', 'exit 3', false],
  ] as const)('S1-02 R12 and %s', async (_what, ends, isNoted) => {
    site = createChannelsWorld({});
    const heard = path.join(site.world.outside, 'heard');
    const command = path.join(site.world.root, 'tell');
    const once = `[ -e '${heard}.1' ] && { cat > '${heard}.2'; exit 0; }; cat > '${heard}.1'; ${ends}`;
    fs.writeFileSync(command, `#!/bin/sh\n${once}\n`, { mode: 0o755 });
    // Slow is no end that is unknown, but the one that is meant to be.
    const timeout = isNoted ? '4s' : '60s';
    site.configure({ channels: { own: { say: { kind: 'command', command, timeout } } } });
    const life = await site.start();
    await run(life, 'say', 'anna', 'hello');
    await expect.poll(() => site.view(life, 'say')).toMatchObject({ pending: 0, delivered: 1 });
    const text = (at: number): string => fs.readFileSync(`${heard}.${String(at)}`, 'utf8');
    expect(text(1)).toMatch(/^re: /);
    expect(text(2)).toBe(isNoted ? `${REPEAT_NOTE}\n\n${text(1)}` : text(1));
  });
});

describe('where an answer goes', () => {
  it('S1-02 the channel was removed: the default channel gets it once, with a note', async () => {
    receiver = await startReceiver();
    const team = { kind: 'webhook', url: receiver.url };
    site = createChannelsWorld({ gone: { ...team, url: 'http://127.0.0.1:9/' }, team });
    const life = await site.start();
    await run(life, 'gone', 'anna');
    await expect.poll(async () => (await site.view(life, 'gone'))?.pending).toBe(1);
    await life.holdfast.call('config.set', { key: 'channels.default', value: 'team' }, 'test');
    await life.holdfast.call('config.set', { key: 'channels.own', value: { team } }, 'test');
    await expect.poll(() => bodies().length).toBe(1);
    expect(bodies()[0]).toMatchObject({ peer: '' });
    expect(bodies()[0]?.text).toMatch(
      /^This was asked by anna on the channel "gone", which is no longer in the settings\.\n\nre: /,
    );
    await expect.poll(async () => (await site.view(life, 'team'))?.delivered).toBe(1);
    expect(await site.view(life, 'gone')).toBeUndefined();
  });

  it('S1-02 it was removed and the default is the window: a note in the inbox says where the answer is', async () => {
    site = createChannelsWorld({ gone: { kind: 'webhook', url: 'http://127.0.0.1:9/' } });
    const life = await site.start();
    const turnId = await run(life, 'gone', 'anna');
    await life.holdfast.call('config.set', { key: 'channels.own', value: {} }, 'test');
    const notes = async (): Promise<readonly string[]> =>
      (await life.holdfast.call('inbox.list', {}, 'test')).items
        .filter((item) => item.turnId === turnId)
        .map((item) => item.title);
    await expect
      .poll(notes)
      .toEqual([`The answer of turn ${String(turnId)} is here, not on "gone"`]);
    expect(await site.view(life, 'gone')).toBeUndefined();
  });

  it('S1-02 it is switched off: answers wait, and go when it is on again', async () => {
    receiver = await startReceiver();
    const team = { kind: 'webhook', url: receiver.url };
    site = createChannelsWorld({ team: { ...team, enabled: false } });
    const life = await site.start();
    await run(life, 'team', 'anna');
    expect(await site.view(life, 'team')).toMatchObject({ state: 'off', pending: 1 });
    await life.holdfast.call('config.set', { key: 'channels.own', value: { team } }, 'test');
    await expect.poll(() => bodies().length).toBe(1);
    expect(bodies()[0]).toMatchObject({ peer: 'anna' });
  });

  it('S0-29 the restart notice goes to a webhook that is the default channel, once, and to nobody else', async () => {
    receiver = await startReceiver();
    site = createChannelsWorld({ team: { kind: 'webhook', url: receiver.url } }, {});
    site.configure({
      channels: { default: 'team', own: { team: { kind: 'webhook', url: receiver.url } } },
    });
    const other = createFakeChannel({ dir: site.world.outside, name: 'chanB' });
    await site.stop(await site.start({ channels: [other] }));
    expect(receiver.posted).toHaveLength(0);
    await site.start({ channels: [other] });
    await expect.poll(() => bodies().map((one) => one.kind)).toEqual(['restart_notice']);
    expect(linesOf(other.log)).toEqual([]);
  });

  it('S0-29 a channel that is added after a restart gets its 2 answers and no notice of that restart', async () => {
    receiver = await startReceiver();
    site = createChannelsWorld({}, {});
    await site.stop(await site.start());
    const life = await site.start();
    const own = { team: { kind: 'webhook', url: receiver.url } };
    await life.holdfast.call('config.set', { key: 'channels.own', value: own }, 'test');
    for (const peer of ['a', 'b']) {
      await run(life, 'team', peer);
      await expect.poll(() => bodies().map((one) => one.peer), { timeout: 60_000 }).toContain(peer);
    }
    expect(bodies().map((one) => one.kind)).toEqual(['answer', 'answer']);
  });

  it('S1-04 a task for a channel that is in no settings is refused and leaves no row', async () => {
    site = createChannelsWorld({ team: { kind: 'webhook', url: 'http://127.0.0.1:9/' } });
    const life = await site.start();
    const wish = { prompt: 'x', schedule: 'every 1h', agent: 'fake', peer: 'a' };
    await expect(
      life.holdfast.call('tasks.add', { ...wish, channel: 'nowhere' }, 'test'),
    ).rejects.toMatchObject({ code: 'CHANNEL_UNKNOWN' });
    expect((await life.holdfast.call('tasks.list', {}, 'test')).tasks).toEqual([]);
    await life.holdfast.call('tasks.add', { ...wish, channel: 'team' }, 'test');
  });
});
