/** Mail, with a real SMTP server on 127.0.0.1. */
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterEach, describe, expect, it } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import { createAskingWorld, type AskingWorld } from './questions-world';

const PASSWORD = 'canary-password-of-mail';
interface Letter {
  readonly to: readonly string[];
  readonly raw: string;
}

let world: AskingWorld;
let server: SMTPServer;
let letters: Letter[];
afterEach(async () => {
  await world.site.end();
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
    expect(bodyOf(question)).toContain('See it at your desk.');
    const { requestHash = '' } = (await view(life)) ?? {};
    const answeredAtMs = Date.now();
    await life.holdfast.call('approvals.deny', { requestId, requestHash }, 'window');
    await expect.poll(() => letters.length).toBe(2);
    expect(Date.now() - answeredAtMs).toBeLessThan(2_000);
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
