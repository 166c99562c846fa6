/** Mail, with a real SMTP server and the double of a mailbox on 127.0.0.1. */
import fs from 'node:fs';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterEach, describe, expect, it } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import { startImapServer, type ImapServer } from '../../helpers/imap-server';
import { turnIn } from '../../helpers/compose-world';
import { rawRequest, requestText } from '../../helpers/raw-http';
import { createAskingWorld, effectsIn, refusalsIn, type AskingWorld } from './questions-world';
import { SLACK } from '../../helpers/slack';

const PASSWORD = 'canary-password-of-mail';
interface Letter {
  readonly to: readonly string[];
  readonly raw: string;
}

let world: AskingWorld;
let server: SMTPServer;
let letters: Letter[];
let mailbox: ImapServer | undefined;
afterEach(async () => {
  await world.site.end();
  await mailbox?.close();
  mailbox = undefined;
  await new Promise<void>((resolve) => server.close(() => resolve()));
});

async function listen(options: SMTPServerOptions = {}, port = 0): Promise<number> {
  server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth(auth, _session, done) {
      if (auth.username === 'bot' && auth.password === PASSWORD) done(null, { user: 'bot' });
      else done(new Error(`no such password: ${auth.password ?? ''}`));
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        letters.push({
          to: session.envelope.rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks).toString('utf8'),
        });
        done();
      });
    },
    ...options,
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
  return (server.server.address() as AddressInfo).port;
}

async function start(
  more: Record<string, unknown> = {},
  options: SMTPServerOptions = {},
): Promise<Composition> {
  letters = [];
  const post = {
    kind: 'mail',
    host: '127.0.0.1',
    port: await listen(options),
    security: 'none',
    user: 'bot',
    password_env: 'MAIL',
    from: 'holdfast@example.com',
    to: ['ann@example.com', 'bob@example.com'],
    ...more,
  };
  world = createAskingWorld({ post }, { MAIL: PASSWORD });
  return world.start();
}

const header = ({ raw }: Letter, name: string): string =>
  new RegExp(`^${name}: (.*)$`, 'im').exec(raw.replace(/\r\n[ \t]+/g, ' '))?.[1]?.trim() ?? '';
const bodyOf = ({ raw }: Letter): string => {
  const body = raw.slice(raw.indexOf('\r\n\r\n')).replace(/=\r\n/g, '');
  return /quoted-printable/i.test(raw)
    ? body.replace(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)))
    : body;
};
const view = async (life: Composition) =>
  (await life.holdfast.call('approvals.list', { includeAnswered: true }, 'test')).requests[0];

describe('mail', () => {
  it('CH-01 sends a test to each address that is listed, as plain text', async () => {
    const life = await start();
    const { ok } = await life.holdfast.call('channels.test', { name: 'post' }, 'test');
    expect(ok).toBe(true);
    expect(letters.map(({ to }) => to[0])).toEqual(['ann@example.com', 'bob@example.com']);
    const [first] = letters as [Letter];
    expect(header(first, 'Subject')).toBe(
      'Holdfast: A test from Holdfast: replies to this channel arrive here.',
    );
    expect(header(first, 'Content-Type')).toMatch(/^text\/plain/);
    expect(first.raw).not.toMatch(/text\/html|multipart/i);
    expect(first.raw).not.toContain(PASSWORD);
  });

  it('PH-01 CH-01 sends a question once, and what became of it in the same thread within 2 s', async () => {
    const life = await start({ questions: true, to: ['ann@example.com'] });
    const requestId = await world.asks(life);
    await expect.poll(() => letters.length).toBe(1);
    const [question] = letters as [Letter];
    expect(bodyOf(question)).toContain('send_email');
    expect(bodyOf(question)).toContain('See it on your computer.');
    const { requestHash = '' } = (await view(life)) ?? {};
    const answeredAtMs = Date.now();
    await life.holdfast.call('approvals.deny', { requestId, requestHash }, 'window');
    await expect.poll(() => letters.length).toBe(2);
    expect(Date.now() - answeredAtMs).toBeLessThan(2_000 * SLACK);
    const [, end] = letters as [Letter, Letter];
    expect(bodyOf(end)).toContain('Denied in the window.');
    expect(header(end, 'In-Reply-To')).toBe(header(question, 'Message-ID'));
    expect(header(end, 'Message-ID')).not.toBe(header(question, 'Message-ID'));
  });

  it('CH-01 an agent that writes line ends and headers changes no header and adds no recipient', async () => {
    const life = await start({ questions: true, show_input: true, to: ['ann@example.com'] });
    await world.asks(life, 'x\r\nBcc: evil@example.com\r\n\r\n<b>hi</b>');
    await expect.poll(() => letters.length).toBe(1);
    const [only] = letters as [Letter];
    expect(only.to).toEqual(['ann@example.com']);
    expect(header(only, 'Bcc')).toBe('');
    expect(header(only, 'Subject')).toMatch(/^Holdfast: fake: /);
  });

  it('CH-01 a wrong password is told without it, and the answer waits', async () => {
    const life = await start({ password_env: 'WRONG' });
    await world.site.stop(life);
    const again = await world.start({
      env: { PATH: process.env['PATH'], WRONG: 'canary-other-password' },
    });
    const end = await again.holdfast.call('channels.test', { name: 'post' }, 'test');
    expect(end.ok).toBe(false);
    expect(end.message).toMatch(/EAUTH, 535/);
    expect(end.message).not.toContain('canary');
    expect(letters).toEqual([]);
  });

  it('CH-01 an address that the server never takes is refused for good; a server that is down is tried again', async () => {
    const life = await start(
      { to: ['gone@example.com'] },
      {
        onRcptTo(_address, _session, done) {
          done(Object.assign(new Error('unknown'), { responseCode: 550 }));
        },
      },
    );
    const refused = await life.holdfast.call('channels.test', { name: 'post' }, 'test');
    expect(refused.message).toMatch(/EENVELOPE, 550/);
    await new Promise<void>((resolve) => server.close(() => resolve()));
    const down = await life.holdfast.call('channels.test', { name: 'post' }, 'test');
    expect(down).toMatchObject({ ok: false });
    expect(down.message).toMatch(/did not take it/);
    await listen();
  });

  it('CH-01 never sends without encryption to another computer', async () => {
    const life = await start();
    const post = {
      kind: 'mail',
      host: 'mail.example.com',
      security: 'none',
      from: 'a@example.com',
      to: ['b@example.com'],
    };
    await expect(
      life.holdfast.call('channels.add', { name: 'open', channel: post } as never, 'test'),
    ).rejects.toThrow(/only for a server on this computer/);
  });
});

describe('the page of a question', () => {
  it('PH-03 CH-01 only who may decide gets a link, opening it decides nothing, and its page decides once; a link that was changed is refused', async () => {
    const life = await start({
      questions: true,
      page: true,
      decide: { people: ['ann@example.com'] },
    });
    const requestId = await world.asks(life);
    await expect.poll(() => letters.length).toBe(2);
    const linkIn = (to: string): string | undefined =>
      /Decide:\s+(http:\S+)/.exec(
        bodyOf(letters.find((one) => one.to[0] === to) ?? (letters[0] as Letter)),
      )?.[1];
    expect(linkIn('bob@example.com')).toBeUndefined();
    const link = new URL(linkIn('ann@example.com') ?? '');
    expect([link.hostname, link.pathname]).toEqual([
      '127.0.0.1',
      expect.stringMatching(/^\/page\/post\/a1[\w.~-]+$/),
    ]);
    const port = Number(link.port);
    const open = (target: string) =>
      rawRequest(port, requestText('GET', target, [['Host', link.host]]));
    const send = (token: string) => {
      const body = new URLSearchParams({ token }).toString();
      return rawRequest(
        port,
        requestText(
          'POST',
          '/page/post',
          [
            ['Host', link.host],
            ['Origin', link.origin],
            ['Content-Type', 'application/x-www-form-urlencoded'],
            ['Content-Length', String(body.length)],
          ],
          body,
        ),
      );
    };
    const changed = `${link.pathname.slice(0, -1)}${link.pathname.endsWith('A') ? 'B' : 'A'}`;
    expect((await open(changed)).status).toBe(403);
    const page = await open(link.pathname);
    expect(page.status).toBe(200);
    expect(await view(life)).not.toHaveProperty('answer');
    const deny = /name="token" value="([^"]+)"><button>Deny/.exec(page.body)?.[1] ?? '';
    expect((await send(deny)).body).toContain('Denied on post.');
    expect(await view(life)).toMatchObject({ requestId, answer: 'denied' });
    expect((await send(deny)).body).toContain('Denied on post.');
    expect((await open(link.pathname)).body).not.toContain('<button>');
    expect(effectsIn(world.site)).toBe(0);
    await expect.poll(() => letters.length).toBe(4);
    expect(bodyOf(letters[3] as Letter)).toContain('Denied on post.');
    expect(refusalsIn(world.site).map(({ reason }) => reason)).toContain('FORGED');
  });
});

/** What is needed to answer and to start work by mail. */
async function startRead(
  more: Record<string, unknown> = {},
  password = PASSWORD,
): Promise<Composition> {
  mailbox = await startImapServer('bot', password);
  const life = await start({
    questions: true,
    show_input: true,
    imap_host: '127.0.0.1',
    imap_port: mailbox.port,
    imap_security: 'none',
    decide: { people: ['ann@example.com'] },
    writers: ['ann@example.com'],
    auth_server: 'mx.example.com',
    agent: 'fake',
    ...more,
  });
  if (password === PASSWORD) await expect.poll(() => mailbox?.isHeard()).toBe(true);
  return life;
}
const arrives = (from: string, subject: string, text = '', more = ''): void =>
  mailbox?.arrives(
    `Authentication-Results: mx.example.com; dmarc=pass\n${more}From: <${from}>\nTo: <holdfast@example.com>\nSubject: ${subject}\n\n${text}\n`,
  );
/** The subject that a link of the letter gives to the answer. */
const subjectOf = (letter: Letter | undefined, label: string): string => {
  const link = new RegExp(`^${label}:\\s+mailto:holdfast@example.com\\?subject=(\\S+)`, 'm');
  return decodeURIComponent(link.exec(bodyOf(letter as Letter))?.[1] ?? 'no link');
};
const to = (address: string): readonly Letter[] => letters.filter((one) => one.to[0] === address);

describe('mail that is read', () => {
  it('PH-03 CH-02 a link of a question decides when its letter arrives: twice where it matters, once at all, and only for its person', async () => {
    const life = await startRead();
    const requestId = await world.asks(life);
    await expect.poll(() => to('ann@example.com').length).toBe(1);
    await expect.poll(() => to('bob@example.com').length).toBe(1);
    expect(bodyOf(to('bob@example.com')[0] as Letter)).not.toContain('mailto:');
    const allow = subjectOf(to('ann@example.com')[0], 'Allow once');
    expect(allow).toMatch(/^Allow once a1\./);
    // Somebody who got hold of the link, and a link that somebody made up.
    arrives('eve@example.org', allow);
    arrives('ann@example.com', `${allow.slice(0, -4)}AAAA`);
    await expect.poll(() => refusalsIn(world.site).length).toBe(2);
    arrives('ANN@example.com', allow);
    await expect.poll(() => to('ann@example.com').length).toBe(2);
    expect(effectsIn(world.site)).toBe(0);
    const [question, confirm] = to('ann@example.com') as [Letter, Letter];
    expect(header(confirm, 'In-Reply-To')).toBe(header(question, 'Message-ID'));
    arrives('ann@example.com', subjectOf(confirm, 'Yes, allow once'));
    await expect.poll(async () => (await view(life))?.answer).toBe('allowed');
    await turnIn(life, (await view(life))?.turnId ?? 0, ['completed']);
    expect(await view(life)).toMatchObject({ requestId, by: 'channel:post:ann@example.com' });
    arrives('ann@example.com', subjectOf(question, 'Deny'));
    await expect.poll(() => mailbox?.fetched.length).toBe(5);
    expect(await view(life)).toMatchObject({ answer: 'allowed' });
    expect(effectsIn(world.site)).toBe(1);
  });

  it('CH-02 only proven mail of a listed writer starts work; each letter is one turn, over a cut and a restart', async () => {
    const life = await startRead({ questions: false });
    const prompts = async (now: Composition) =>
      (await now.holdfast.call('turns.list', {}, 'test')).turns.map((one) => one.id);
    arrives('bob@example.com', 'not me');
    mailbox?.arrives('From: <ann@example.com>\nSubject: forged\n\nx\n');
    // Proven is the sender that the server has read, which is not the first one.
    arrives('ann@example.com> <evil@example.org', 'forged');
    arrives('evil@example.org', 'forged', 'x', 'From: <ann@example.com>\n');
    arrives('ann@example.com', 'Away', 'I am away.', 'Auto-Submitted: auto-replied\n');
    arrives('ann@example.com', 'First', 'Do it.');
    await expect.poll(() => prompts(life)).toHaveLength(1);
    mailbox?.cut();
    arrives('ann@example.com', 'Second', 'And this.');
    await expect.poll(() => prompts(life), { timeout: 120_000 }).toHaveLength(2);
    await world.site.stop(life);
    arrives('ann@example.com', 'Third', 'While it was away.');
    const again = await world.start();
    await expect.poll(() => prompts(again)).toHaveLength(3);
    expect(mailbox?.fetched).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('CH-02 a letter of 25 nested parts, which nobody can read, holds up none that comes after it', async () => {
    const life = await startRead({ questions: false });
    const parts = Array.from({ length: 25 }, (_, n) => `part${String(n)}`);
    const nested = parts.map(
      (one) => `Content-Type: multipart/mixed; boundary="${one}"\n\n--${one}`,
    );
    mailbox?.arrives(`From: <eve@example.org>\nSubject: x\n${nested.join('\n')}\n\nhi\n`);
    arrives('ann@example.com', 'First', 'Do it.');
    await expect
      .poll(async () => (await life.holdfast.call('turns.list', {}, 'test')).turns.length, {
        timeout: 60_000,
      })
      .toBe(1);
    expect(mailbox?.fetched).toEqual([1, 2]);
  });

  it('CH-02 a letter for an agent that is gone holds up none behind it: it is set aside once, and its writer is told', async () => {
    const life = await startRead({ questions: false });
    const count = async () => (await life.holdfast.call('turns.list', {}, 'test')).turns.length;
    arrives('ann@example.com', 'First', 'Do it.');
    await expect.poll(count).toBe(1);
    const spec = { provider: 'fake', model: 'fake-1', workspace: world.site.world.workspace };
    const setAgents = (value: Record<string, typeof spec>) =>
      life.holdfast.call('config.set', { key: 'agents', value }, 'test');
    await setAgents({ other: spec });
    arrives('ann@example.com', 'Second', 'To nobody.');
    await expect
      .poll(() => to('ann@example.com').map(bodyOf).join('\n'), { timeout: 60_000 })
      .toMatch(/This message was not\s+processed\.[\s\S]*no\s+longer/);
    await setAgents({ fake: spec });
    arrives('ann@example.com', 'Third', 'And this.');
    await expect.poll(count, { timeout: 60_000 }).toBe(2);
    expect(mailbox?.fetched).toEqual([1, 2, 3]);
    const { items } = await life.holdfast.call('inbox.list', {}, 'test');
    expect(items.filter(({ title }) => title.includes('not processed'))).toMatchObject([
      { detail: expect.stringContaining('To nobody.') as string },
    ]);
  });

  it('CH-02 a mailbox that was made anew begins with what arrives then', async () => {
    const life = await startRead({ questions: false });
    const count = async () => (await life.holdfast.call('turns.list', {}, 'test')).turns.length;
    arrives('ann@example.com', 'First', 'Do it.');
    await expect.poll(count).toBe(1);
    mailbox?.renew();
    arrives('ann@example.com', 'Old', 'Was there before.');
    mailbox?.cut();
    await expect
      .poll(() => mailbox?.isHeard() === true && mailbox.logins(), { timeout: 120_000 })
      .toBe(2);
    arrives('ann@example.com', 'New', 'Do this, too.');
    await expect.poll(count).toBe(2);
  });

  it('CH-02 a password that the mailbox refuses is told without it, also where the server repeats it', async () => {
    await startRead({ questions: false }, 'another password');
    const folder = path.join(world.site.world.dataDir, 'logs');
    const logs = (): string =>
      fs.existsSync(folder)
        ? fs
            .readdirSync(folder)
            .map((file) => fs.readFileSync(path.join(folder, file), 'utf8'))
            .join('')
        : '';
    await expect
      .poll(logs, { timeout: 120_000 })
      .toContain('post: the mailbox cannot be read (the user or the password is wrong).');
    expect(logs()).not.toContain(PASSWORD);
  });

  it('CH-02 refuses settings with which anybody could start work or nobody could answer', async () => {
    const life = await start();
    const base = {
      kind: 'mail',
      host: 'h',
      from: 'a@example.com',
      to: ['b@example.com'],
      user: 'u',
    };
    const read = { ...base, imap_host: 'imap.example.com' };
    for (const [channel, words] of [
      [{ ...base, decide: { people: ['b@example.com'] } }, /set an imap_host/],
      [{ ...read, writers: ['b@example.com'] }, /set auth_server/],
      [{ ...read, decide: { people: ['c@example.com'] } }, /list in "to" everyone/],
      [{ ...read, user: undefined }, /set the user/],
      [{ ...read, imap_security: 'none' }, /only for a server on this computer/],
    ] as const)
      await expect(
        life.holdfast.call('channels.add', { name: 'other', channel } as never, 'test'),
      ).rejects.toThrow(words);
  });
});
