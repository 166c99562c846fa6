import { describe, expect, it } from 'vitest';
import { checksOfPresent, type Present } from '../../../electron/engine/status/doctor';
import { quietSnapshot } from '../../helpers/snapshot';

const NOW_MS = Date.parse('2026-05-01T12:00:00Z');
const shown = { available: true, reason: '' };

const present = (change: Partial<Present> = {}): Present => ({
  status: quietSnapshot({ phase: 'running', pid: 42, startedAtMs: NOW_MS, nowMs: NOW_MS }),
  mode: 'app',
  env: { XDG_CURRENT_DESKTOP: 'GNOME', XDG_SESSION_TYPE: 'wayland' },
  desktop: { tray: shown, notifications: shown },
  keyring: { backend: 'gnome_libsecret', isEncrypting: true, problem: undefined },
  logLines: [],
  ...change,
});
const line = (level: string, atMs: number, facts: object = {}): string =>
  JSON.stringify({ level, time: new Date(atMs).toISOString(), facts, event: 'x.failed' });
const found = (name: string, change?: Partial<Present>) =>
  checksOfPresent(present(change), false).find((check) => check.name === name);

describe('what the doctor says about this moment', () => {
  it('R5 says who owns the data, what the desktop shows and where keys are, in 6 findings', () => {
    expect(
      checksOfPresent(present(), false).map(({ name, level, detail }) => [level, name, detail]),
    ).toEqual([
      ['ok', 'owner', 'process 42, the app, running, since 2026-05-01T12:00:00.000Z'],
      ['ok', 'desktop', 'GNOME, wayland: tray icon and notifications'],
      ['ok', 'keys', 'stored in gnome_libsecret'],
      ['ok', 'breakers', 'all closed: calls to external services go through'],
      ['ok', 'queues', '0 turns queued, 0 waiting'],
      ['ok', 'latest errors', 'none in the log'],
    ]);
  });

  it('leaves out who owns the data, its desktop and keys while Holdfast is stopped', () => {
    const names = checksOfPresent(
      present({ status: quietSnapshot({ phase: 'stopped', nowMs: NOW_MS }) }),
      false,
    ).map(({ name }) => name);
    expect(names).toEqual(['breakers', 'queues', 'latest errors']);
  });

  it('S2-43 of an owner that does not answer says who it is and what to do, and not what its desktop and keys are', () => {
    const checks = checksOfPresent(
      present({ status: quietSnapshot({ phase: 'silent', pid: 42, nowMs: NOW_MS }) }),
      false,
    );
    expect(checks.map(({ name }) => name)).toEqual([
      'owner',
      'breakers',
      'queues',
      'latest errors',
    ]);
    expect(checks[0]).toMatchObject({
      level: 'fail',
      detail: expect.stringMatching(
        /^process 42, .*is not responding\. Ask again.*kill -CONT 42\..*--takeover --data-dir/,
      ),
    });
  });

  it.each<[string, string, Partial<Present>, RegExp]>([
    [
      'a desktop without tray icons',
      'desktop',
      { desktop: { tray: { available: false, reason: 'No tray here.' }, notifications: shown } },
      /^GNOME, wayland: No tray here\.$/,
    ],
    [
      'K1 a keyring that does not encrypt',
      'keys',
      { keyring: { backend: 'basic_text', isEncrypting: false, problem: undefined } },
      /^basic_text does not encrypt/,
    ],
    [
      'K3 a keyring that is locked',
      'keys',
      { keyring: { backend: 'gnome_libsecret', isEncrypting: true, problem: 'is locked' } },
      /^gnome_libsecret is locked\. Its stored API keys are not lost; unlock it/,
    ],
    [
      'an open breaker',
      'breakers',
      {
        status: quietSnapshot({
          phase: 'running',
          nowMs: NOW_MS,
          outside: { providers: [], openBreakers: ['provider:anthropic'] },
        }),
      },
      /provider:anthropic/,
    ],
    [
      'dead letters',
      'queues',
      {
        status: quietSnapshot({
          phase: 'running',
          nowMs: NOW_MS,
          delivery: { broker: 'down', depth: 7, deadLetters: 2, shed: 1 },
        }),
      },
      /broker down, 7 queued, 2 dead letters, 1 of them dropped because the queue was full$/,
    ],
    [
      'events for a broker that is not set up any more',
      'queues',
      {
        status: quietSnapshot({
          phase: 'running',
          nowMs: NOW_MS,
          delivery: { broker: 'local', depth: 4, deadLetters: 0, shed: 0 },
        }),
      },
      /no event broker is configured, 4 queued/,
    ],
    [
      'an error of the last 24 h',
      'latest errors',
      { logLines: [line('error', NOW_MS - 1000, { code: 'DISK_FULL', message: 'no space' })] },
      /^2026-05-01T11:59:59\.000Z x\.failed DISK_FULL no space$/,
    ],
  ])('warns of %s', (_what, name, change, detail) => {
    expect(found(name, change)).toMatchObject({
      level: 'warn',
      detail: expect.stringMatching(detail),
    });
  });

  it('lists the newest 20 errors only, without a warning where the newest is 25 h old', () => {
    const logLines = Array.from({ length: 30 }, (_, n) => line('error', NOW_MS - 90_000_000 + n));
    const check = found('latest errors', {
      logLines: [...logLines, line('warn', NOW_MS), '{"cut'],
    });
    expect(check?.level).toBe('ok');
    expect(check?.detail.split('; ')).toHaveLength(20);
    expect(check?.detail).toContain(new Date(NOW_MS - 90_000_000 + 29).toISOString());
  });

  it('UP-04 to share names of an error its event, code and kind, and nothing that somebody wrote', () => {
    const facts = {
      code: 'PROVIDER_REFUSED',
      message: 'bad key wombat-7',
      error: { name: 'TypeError', code: 'ECONNRESET', message: 'reading wombat-8' },
    };
    const logLines = [
      line('error', NOW_MS, facts),
      line('error', NOW_MS, { code: 'a wombat-9' }),
      JSON.stringify({ level: 'error', time: 'wombat', event: 'x' }),
    ];
    const check = checksOfPresent(present({ logLines }), true).find(
      ({ name }) => name === 'latest errors',
    );
    const time = new Date(NOW_MS).toISOString();
    expect(check?.detail).toBe(
      `${time} x.failed PROVIDER_REFUSED TypeError ECONNRESET; ${time} x.failed`,
    );
    expect(found('latest errors', { logLines })?.detail).toContain('wombat-7');
  });
});
