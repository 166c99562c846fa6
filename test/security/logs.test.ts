import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Conf from 'conf';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSystemClock } from '../../electron/adapters/clock/system-clock';
import { createSettings } from '../../electron/adapters/config/settings';
import { createAudit } from '../../electron/adapters/log/audit';
import { createLog } from '../../electron/adapters/log/log';
import { redact } from '../../shared/redact';
import { noCrashPoints } from '../../electron/engine/kernel/crash-points';
import { HoldfastError } from '../../electron/engine/kernel/errors';
import { createRedactor } from '../../shared/redact';

const CANARY = 'CANARY7f3a9c';
const clock = createSystemClock();
let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'holdfast-logs-'));
});
afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

const grep = (folder: string): string[] =>
  readdirSync(join(dir, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8').split('\n'))
    .filter((line) => line.includes('CANARY'));

/** The ways in which a key gets near a log line. */
const nkey = `SU${CANARY.replaceAll(/[^A-Z2-7]/g, '')}${'A2B3C4'.repeat(9)}`.slice(0, 58);
const leaks: readonly (readonly [string, Record<string, unknown>])[] = [
  [
    'settings',
    { providers: { main: { kind: 'google', api_key: CANARY, headers: { 'x-api-key': CANARY } } } },
  ],
  ['environment', { env: { OPENAI_API_KEY: CANARY, PATH: '/bin', AWS_SECRET_ACCESS_KEY: CANARY } }],
  ['environment as text', { env: `PATH=/bin OPENAI_API_KEY=${CANARY} GITHUB_TOKEN=${CANARY}` }],
  [
    'provider error body',
    {
      error: new HoldfastError('PROVIDER_KEY_MISSING', `Incorrect API key: sk-${CANARY}aaaa`, {
        facts: { body: `{"error":{"api_key":"${CANARY}"}}` },
      }),
    },
  ],
  [
    'provider error cause',
    {
      error: new Error('x', {
        cause: { request: { headers: new Map([['authorization', `Bearer ${CANARY}`]]) } },
      }),
    },
  ],
  [
    'NATS address',
    { servers: [`nats://${CANARY}:${CANARY}@127.0.0.1:4222`, `nats://${CANARY}@127.0.0.1`] },
  ],
  ['NKey seed', { line: `user seed ${nkey}` }],
  [
    'tool input',
    { input: { command: `curl -H "Authorization: Bearer ${CANARY}" https://x`, password: CANARY } },
  ],
  [
    'tool input in JSON in JSON',
    { input: JSON.stringify({ body: JSON.stringify({ token: CANARY }) }) },
  ],
  [
    'address',
    {
      url: `https://generativelanguage.example/v1?key=${CANARY}&alt=sse`,
      other: new URL(`https://u:${CANARY}@h/`),
    },
  ],
  ['stack', { stack: Object.assign(new Error(`fetch https://u:${CANARY}@h/ failed`), {}).stack }],
  ['buffer', { chunk: Buffer.from(CANARY) }],
];

describe('log files', () => {
  it.each(leaks)(
    'R2 a canary in %s reaches neither log nor audit nor diagnostics',
    async (_where, facts) => {
      const redactor = createRedactor();
      const log = createLog({ dir: join(dir, 'logs'), level: 'debug', clock, redactor });
      const audit = createAudit({ dir: join(dir, 'audit'), clock, log, redactor });
      log.debug('leak', facts);
      log.error('leak', { deeper: [{ facts }] });
      audit.record('leak', facts);
      await audit.close();
      log.close();
      expect(
        readFileSync(join(dir, 'logs', 'holdfast.log'), 'utf8')
          .trimEnd()
          .split('\n'),
      ).toHaveLength(2);
      expect([...grep('logs'), ...grep('audit')]).toEqual([]);
      expect(JSON.stringify(redact(facts))).not.toContain('CANARY');
    },
  );

  it('R2 a canary in the name of an event is hidden too', () => {
    const log = createLog({ dir: join(dir, 'logs'), level: 'debug', clock });
    log.warn(`failed with Bearer ${CANARY}`);
    log.close();
    expect(grep('logs')).toEqual([]);
    expect(readFileSync(log.path, 'utf8')).toContain('[redacted]');
  });

  it('R1 counts of tokens stay readable in the file', () => {
    const log = createLog({ dir: join(dir, 'logs'), level: 'debug', clock });
    log.info('answer', {
      usage: { tokens_used: 12, max_tokens: 4096, inputTokens: 7, token_count: 3 },
    });
    log.close();
    expect(readFileSync(log.path, 'utf8')).toContain(
      '{"usage":{"tokens_used":12,"max_tokens":4096,"inputTokens":7,"token_count":3}}',
    );
  });

  it('R4 hostile text stays one inert line through rotation at 1,500 bytes', () => {
    const log = createLog({
      dir: join(dir, 'logs'),
      level: 'info',
      clock,
      rotation: { maxBytes: 1500, files: 3 },
    });
    for (let n = 0; n < 50; n += 1)
      log.info('tool', { output: `\n{"event":"forged"}\u001b]0;x\u0007\u009b2J${String(n)}` });
    log.close();
    const names = readdirSync(join(dir, 'logs'));
    expect(names).toHaveLength(3);
    for (const name of names) {
      for (const line of readFileSync(join(dir, 'logs', name), 'utf8')
        .trimEnd()
        .split('\n')) {
        expect(line).toMatch(/^[\x20-\x7e]+$/);
        expect((JSON.parse(line) as { event: string }).event).toBe('tool');
      }
    }
  });

  it('S2-30 a key pasted into config.json is in no problem, no log line and no memory of good settings', () => {
    const path = join(dir, 'config.json');
    writeFileSync(
      path,
      JSON.stringify({
        providers: { main: { kind: 'google', api_key: CANARY, api_key_file: 3 } },
        agents: { a: `sk-${CANARY}` },
        log: { level: `sk-${CANARY}xx` },
      }),
    );
    const settings = createSettings({
      path,
      storeClass: Conf,
      overrides: {},
      env: {},
      crashPoints: noCrashPoints,
      watch: true,
    });
    const log = createLog({ dir: join(dir, 'logs'), level: 'info', clock });
    for (const problem of settings.problems()) log.warn('config.problem', problem);
    settings.stop();
    log.close();
    expect(settings.problems()).toHaveLength(3);
    expect(JSON.stringify(settings.problems())).not.toContain('CANARY');
    expect(grep('logs')).toEqual([]);
    expect(JSON.stringify(settings.all())).not.toContain('CANARY');
    // Only the entries that could be used are remembered: here none of any.
    expect(readFileSync(join(dir, 'run', 'config.last-good.json'), 'utf8')).not.toContain('CANARY');
  });
});
