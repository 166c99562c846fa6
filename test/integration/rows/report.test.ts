import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { DoctorReport } from '../../../shared/types';
import { createSite, until, type Launched, type Site } from './site';

let site: Site;
beforeEach(async () => {
  site = await createSite();
});
afterEach(() => site.remove());

/**
 * One for each place: what is found names where it came from. They have no half in common, because the
 * redactor hides halves of what it knows, and one that it knows would hide the others.
 */
const canary = (place: string): string =>
  `cn4ry${place}9${createHash('sha256').update(place).digest('hex').slice(0, 24)}`;
const PLACES = [
  ...['env', 'ownenv', 'apikey', 'baseurl', 'mcparg', 'mcpenv', 'mcpheader', 'mcpurl', 'mcpname'],
  ...['channel', 'webhook', 'natsurl', 'natsenv', 'share', 'host', 'gateway', 'trace', 'task'],
  ...['browser', 'unknown', 'provider', 'prompt', 'log', 'logcode', 'logevent', 'hfenv'],
] as const;

/** What a person may write into the file by hand, as often as not in the wrong place. */
const PASTED = {
  mcp: {
    servers: {
      one: {
        command: '/bin/false',
        args: ['--key', canary('mcparg')],
        env: { SERVICE_TOKEN: canary('mcpenv') },
      },
      two: { url: `http://u:${canary('mcpurl')}@127.0.0.1:1/mcp` },
      three: {
        url: 'http://127.0.0.1:1/mcp',
        headers_env: { 'x-api-key': `${canary('mcpheader')} ` },
      },
      [`${canary('mcpname')}!`]: { command: '/bin/false' },
    },
  },
  channels: {
    own: {
      hook: { kind: 'webhook', url: `https://u:${canary('webhook')}@127.0.0.1:1/x` },
      bot: { kind: 'telegram', token: canary('channel'), chats: ['1'] },
    },
    address: `https://ann:${canary('channel')}@box.example`,
  },
  nats: {
    url: `nats://u:${canary('natsurl')}@192.0.2.1:4222`,
    credentials_env: `${canary('natsenv')} x`,
  },
  share: { address: { url: canary('share') }, name: canary('share').repeat(4) },
  hosts: { addresses: { box: `ssh://u:${canary('host')}@box` } },
  gateway: { fallback: { fp: canary('gateway') } },
  observability: { traces_endpoint: `https://u:${canary('trace')}@collector.example` },
  tasks: { own: { tidy: { schedule: canary('task'), prompt: canary('prompt') } } },
  browser: { command: `/opt/${canary('browser')}` },
  [canary('unknown')]: canary('unknown'),
};

function leaksIn(text: string): string[] {
  return PLACES.filter((place) => text.includes(canary(place).slice(-24)));
}

/** In a process of its own, whose environment and home are those of the person. */
async function reports(env: Record<string, string>): Promise<string> {
  const parts: string[] = [];
  for (const args of [['report'], ['report', '--json'], ['diagnostics', '--output', 'yaml']]) {
    const { code, out, err } = await site.launch(args, '', env).ended;
    expect([args, code, err]).toEqual([args, 0, '']);
    parts.push(out);
  }
  return parts.join('\n');
}

it('UP-04 a report holds none of 26 secrets planted in environment, settings, log, prompts and words of a provider, nor the home folder: before the first start, while Holdfast runs, and after', async () => {
  const home = path.dirname(site.dataDir);
  const env = {
    CANARY_KEY: canary('apikey'),
    GITHUB_TOKEN: canary('ownenv'),
    HOLDFAST_NATS_URL: `https://u:${canary('hfenv')}@x`,
    XDG_CURRENT_DESKTOP: `GNOME ${canary('env')} secret=${canary('env')}`,
  };
  site.configure({
    ...PASTED,
    providers: {
      fp: {
        kind: 'openai-compatible',
        base_url: site.fp.baseUrl('openai-compatible'),
        api_key_env: 'CANARY_KEY',
      },
      pasted: { kind: 'anthropic', api_key: canary('apikey') },
      away: { kind: 'anthropic', base_url: `https://u:${canary('baseurl')}@127.0.0.1:1` },
    },
  });
  const check = (text: string, when: string): void => {
    expect([when, leaksIn(text)]).toEqual([when, []]);
    expect([when, text.includes(home)]).toEqual([when, false]);
    expect(text).toContain('~/data');
    expect(text).toContain('channels.own');
  };
  check(await reports(env), 'before the first start');

  site.fp.setScript(() => ({
    status: 401,
    error: { message: `bad key ${canary('apikey')} (${canary('provider')})` },
  }));
  const host: Launched = site.launch(['start', '--headless'], '', env);
  await until('the host is ready', () => host.out().includes('\n') || host.child.exitCode !== null);
  await site.turnIn(await site.send(`hello ${canary('prompt')}`), 'waiting', 'parked', 'failed');
  // As another version, or a program that writes there too, may have left them.
  const time = new Date().toISOString();
  const entries = [
    { event: 'turn.failed', facts: { message: `said ${canary('log')}`, code: 'PROVIDER_REFUSED' } },
    { event: 'x.failed', facts: { message: canary('log'), code: canary('logcode') } },
    { event: canary('logevent'), facts: { error: { name: canary('log'), message: home } } },
  ];
  fs.appendFileSync(
    path.join(site.dataDir, 'logs', 'holdfast.log'),
    entries.map((entry) => `${JSON.stringify({ level: 'error', time, ...entry })}\n`).join(''),
  );
  const running = await reports(env);
  check(running, 'while Holdfast runs');
  expect(running).toContain(`${time} turn.failed PROVIDER_REFUSED`);
  await site.stop(host);
  check(await reports(env), 'after');
  // The doctor tells the person at this computer more, such as what was written where.
  const doctor = await site.json<DoctorReport>('doctor');
  const settings = doctor.checks.find(({ name }) => name === 'settings')?.detail;
  expect(settings).toContain(`"${canary('task')}" is not a schedule`);
});
