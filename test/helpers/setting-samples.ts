/** For every setting a value that it takes, other than its default, and one that it refuses. */
import type { SettingKey } from '../../shared/settings';
import { SETTINGS } from '../../shared/settings';

export const ALL_KEYS = Object.keys(SETTINGS) as SettingKey[];

const OTHER: Partial<Record<SettingKey, unknown>> = {
  'resilience.recovery.mode': 'never',
  'resilience.recovery.side_effect_tools': ['mail', 'github.create_issue'],
  'skill_resume.default': 'skip',
  'skill_resume.per_skill': { mail: 'prompt' },
  'resume.world_drift': 'hold',
  'resume.orphans': 'end',
  'approvals.mode': 'all_effects',
  'approvals.tools': { 'mail.send': 'ask', shell: 'deny' },
  'skills.folders': ['/srv/skills'],
  'hosts.addresses': { box: 'ssh://me@box' },
  'observability.traces_endpoint': 'http://127.0.0.1:4318',
  'mcp.servers': { notes: { command: 'notes-server', args: ['--stdio'] } },
  'resilience.scheduler.time_zone': 'Europe/Berlin',
  'resilience.scheduler.check_failed': 'skip',
  'heartbeat.interval': 'every 3h',
  'fallback.mode': 'auto',
  'gateway.fallback': { main: ['spare/m-2'] },
  'breakers.initial_backoff': '20s',
  'retry.rate_limited.first_wait': '2s',
  'retry.server.first_wait': '2s',
  'nats.url': 'nats://127.0.0.1:4222',
  'nats.stream': 'WORK',
  'nats.subjects': ['work.>'],
  'nats.credentials_env': 'NATS_TOKEN',
  'nats.credentials_file': '/srv/nats.token',
  'browser.command': '/usr/bin/chromium',
  'browser.local_hosts': ['127.0.0.1:3000'],
  'breakers.per_dependency': { nats: { failure_threshold: 2 } },
  'limits.max_payload': 1_000,
  'shell.guarded_tools': ['run'],
  'channels.default': 'phone',
  'tasks.own': { tidy: { schedule: 'daily at 09:00', prompt: 'Tidy up' } },
  'channels.own': { team: { kind: 'webhook', url: 'https://example.com/hook' } },
  'channels.address': 'https://box.example.net',
  'instance.on_conflict': 'refuse',
  'app.theme': 'dark',
  'app.tray_icon': 'light',
  'budgets.caps': { daily: { scope: 'all', per: 'day', usd: 5 } },
  'budgets.timezone': 'Europe/Berlin',
  'budgets.week_starts': 'sunday',
  'share.labels': ['gpu'],
  'share.private_folders': ['/srv/customers'],
  'power.keep_awake': 'always',
  'updates.mode': 'check',
  'updates.feed': 'https://example.com/holdfast/',
  'updates.public_key': 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
  'notifications.restart': 'off',
  'notifications.decisions': 'silent',
  'notifications.outages': 'off',
  'notifications.answers': 'silent',
  'notifications.quiet_hours': '22:00-07:00',
  'app.quick_shortcut': 'Ctrl+Shift+H',
  'reminders.escalate_to': 'phone',
  'digest.at': '08:00',
  'notifications.urgent': ['office.send_email'],
  'log.level': 'debug',
  providers: { main: { kind: 'google', base_url: 'https://api.example.com' } },
  agents: { 'my.agent': { provider: 'main', model: 'm', workspace: '/tmp' } },
};

/** A value that the setting takes and that is not its default. */
export function otherValue(key: SettingKey): unknown {
  const standard: unknown = SETTINGS[key].default;
  const other = OTHER[key];
  if (other !== undefined) return other;
  if (typeof standard === 'boolean') return !standard;
  return typeof standard === 'number' ? standard + 1 : '3h';
}

/** What {@link badValue} of these keys is refused for, where neither its kind nor its choices say it. */
const BAD: Partial<Record<SettingKey, readonly [unknown, string]>> = {
  'resilience.recovery.side_effect_tools': [['a', 3], '.1 must be text; 3 is not'],
  'skill_resume.per_skill': [
    { a: 'maybe' },
    '.a must be one of retry, skip, discard_skill, prompt',
  ],
  'approvals.tools': [{ shell: 'maybe' }, '.shell must be one of allow, ask, deny'],
  'hosts.addresses': [{ box: 'box' }, '.box: write an address such as ssh://box.example'],
  'observability.traces_endpoint': ['localhost', 'an http:// or https:// address'],
  'skills.folders': [[''], '.0 is too short'],
  'mcp.servers': [{ a: {} }, '.a: set either a command (with args, env, cwd) or a url'],
  'resilience.scheduler.catchup_window': [true, '"0" or "off" is never'],
  'resilience.scheduler.time_zone': ['Mars', '"Mars" is not a time zone; use a name such as'],
  'heartbeat.interval': ['soon', '"soon" is not a schedule: use for example "every 5m"'],
  'heartbeat.contextId': ['', 'is too short; the minimum is 1'],
  'budgets.caps': [
    { daily: { scope: 'all', per: 'year', usd: 5 } },
    '.daily.per must be one of turn, day, week, month',
  ],
  'budgets.timezone': ['Mars', '"Mars" is not a time zone; use a name such as'],
  'breakers.per_dependency': [{ nats: { retries: 3 } }, '.nats has no setting called "retries"'],
  'nats.url': ['https://example.com', 'nats://'],
  'nats.stream': ['my stream', 'use letters, digits, dashes and underscores'],
  'nats.subjects': [['a b'], '.0: use letters, digits, dashes and underscores, separated by dots'],
  'nats.credentials_env': ['MY TOKEN', 'use the name of an environment variable'],
  'nats.credentials_file': [7, 'must be text; 7 is not'],
  'gateway.fallback': [{ main: ['spare/a', 'spare/b'] }, 'use the provider "spare" twice'],
  'tasks.own': [
    { tidy: { schedule: 'soon', prompt: 'Tidy up' } },
    '.tidy.schedule: "soon" is not a schedule: use for example "every 5m"',
  ],
  'channels.default': ['', 'is too short; the minimum is 1'],
  'channels.own': [
    { cli: { kind: 'webhook' } },
    'this name is reserved, as are window, cli, desktop',
  ],
  'channels.address': ['https://box.example.net/path', 'an address without a path'],
  'shell.guarded_tools': ['run', 'must be a list: ["a", "b"]; "run" is not'],
  'app.quick_shortcut': ['H', 'a shortcut such as "Ctrl+Shift+H", or leave it empty'],
  'reminders.escalate_to': [7, 'must be text; 7 is not'],
  'digest.at': ['8 am', 'a clock time such as "08:00", or leave it empty'],
  'notifications.quiet_hours': [
    '22 to 7',
    'two clock times such as "22:00-07:00", or leave it empty',
  ],
  'notifications.urgent': [[''], '.0 is too short'],
  'browser.command': [true, 'must be text; true is not'],
  'browser.local_hosts': [['a b'], '.0: use a host name, with its port if it has one'],
  'updates.feed': ['http://example.com', 'use https, or http on this computer'],
  'updates.public_key': ['abc', 'an Ed25519 public key: 32 bytes in base64'],
  'share.address': [7, 'must be text; 7 is not'],
  'share.name': [7, 'must be text; 7 is not'],
  'share.private_folders': [
    ['customers'],
    '.0: use the full path of a folder, such as "/srv/customers"',
  ],
  'share.labels': [['big gpu'], '.0: use letters, digits, dots, colons, dashes and underscores'],
  providers: [
    { main: { kind: 'x' } },
    '.main.kind must be one of openai-compatible, anthropic, google',
  ],
  agents: [{ a: { provider: 'main', model: 'm' } }, '.a.workspace is missing; it must be text'],
};

/** A value that the setting refuses, and what the refusal has to say is allowed. */
export function badValue(key: SettingKey): { readonly value: unknown; readonly says: string } {
  const bad = BAD[key];
  if (bad !== undefined) return { value: bad[0], says: bad[1] };
  const { schema, default: standard } = SETTINGS[key];
  if (typeof standard === 'boolean') return { value: 'maybe', says: 'must be true or false' };
  if (typeof standard === 'number') {
    const { minValue, maxValue } = schema as unknown as { minValue: number; maxValue: number };
    return { value: maxValue + 1, says: `from ${String(minValue)} to ${String(maxValue)}` };
  }
  if ('options' in schema && !schema.safeParse('90s').success)
    return { value: 'maybe', says: (schema.options as readonly string[]).join(', ') };
  return { value: 'soon', says: '"soon" is not a duration; write for example "90s" or "1h"' };
}
