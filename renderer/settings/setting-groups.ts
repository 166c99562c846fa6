/** The location of each setting: its section, its heading, and whether it is collapsed. Pure. */
import type { SettingKey } from '../../shared/settings';

export const SECTIONS = [
  'general',
  'providers',
  'agents',
  'recovery',
  'outages',
  'schedule',
  'notifications',
  'tray',
  'updates',
  'delivery',
  'channels',
  'data',
] as const;
export type SectionName = (typeof SECTIONS)[number];

/**
 * The settings of each section under headings, in display order. Each heading is one goal of a
 * user. Lists of providers and agents have their own components.
 */
export const SECTION_GROUPS = {
  general: {
    starting: [
      'app.theme',
      'app.start_at_login',
      'instance.restart_after_crash',
      'instance.on_conflict',
      'shutdown.grace',
    ],
    awake: ['power.keep_awake', 'power.battery_floor', 'power.max_awake'],
    computers: ['hosts.addresses'],
    remembered: ['app.first_start_done', 'app.close_notice_shown'],
  },
  agents: {
    approvals: ['approvals.mode', 'approvals.tools'],
    skills: ['skills.folders', 'extensions.core.recall_tool'],
    budgets: ['budgets.caps', 'budgets.timezone', 'budgets.week_starts'],
    shell: ['shell.timeout', 'shell.max_output_kb'],
    browser: [
      'browser.command',
      'browser.headless',
      'browser.timeout',
      'browser.idle',
      'browser.local_hosts',
    ],
    sharing: [
      'share.address',
      'share.name',
      'share.labels',
      'share.private_folders',
      'share.lease',
      'share.max_wait',
    ],
  },
  recovery: {
    unsure: [
      'resilience.recovery.gate_all_side_effects',
      'skill_resume.default',
      'resilience.recovery.max_age',
      'skill_resume.per_skill',
      'resume.world_drift',
      'resume.orphans',
      'resilience.recovery.max_attempts',
      'resilience.recovery.resume_delay',
      'resilience.recovery.retention_days',
    ],
    limits: [
      'limits.turn_cost_usd',
      'limits.turn_time',
      'limits.max_running_turns',
      'limits.turn_steps',
    ],
    workers: [
      'work.requeue_delay',
      'work.requeue_max_delay',
      'work.max_requeues',
      'work.lease_renew',
      'work.lease_stale',
    ],
  },
  outages: {
    waiting: [
      'resilience.auto_wait',
      'resilience.max_wait',
      'resilience.outage_threshold',
      'resilience.probe_interval',
      'resilience.early_probe',
      'limits.max_waiting_turns',
    ],
    quota: [
      'resilience.wait_for_quota',
      'limits.continue_terminals',
      'limits.margin',
      'limits.max_wait',
      'limits.max_windows',
      'resilience.limit_first_wait',
      'resilience.limit_max_wait',
    ],
    fallbacks: ['fallback.mode', 'fallback.after'],
    breakers: [
      'breakers.failure_threshold',
      'breakers.success_threshold',
      'breakers.initial_backoff',
      'breakers.max_backoff',
      'breakers.per_dependency',
    ],
    retries: [
      'retry.rate_limited.max_attempts',
      'retry.rate_limited.first_wait',
      'retry.rate_limited.max_wait',
      'retry.server.max_attempts',
      'retry.server.first_wait',
      'retry.server.max_wait',
    ],
  },
  schedule: {
    missed: ['resilience.scheduler.catchup_window', 'resilience.scheduler.catchup_spacing'],
    tasks: [
      'resilience.scheduler.time_zone',
      'extensions.core.scheduler_tool',
      'resilience.scheduler.max_tasks_per_agent',
      'tasks.own',
    ],
    checks: ['resilience.scheduler.check_failed', 'resilience.scheduler.check_timeout'],
    heartbeat: ['heartbeat.enabled', 'heartbeat.interval', 'heartbeat.contextId'],
    sleeping: ['shell.sleep_guard', 'shell.guarded_tools'],
  },
  notifications: {
    kinds: [
      'notifications.decisions',
      'notifications.restart',
      'notifications.outages',
      'notifications.answers',
    ],
    quiet: ['notifications.quiet_hours', 'notifications.urgent'],
    privacy: ['notifications.show_details'],
  },
  tray: {
    closing: ['app.close_to_tray', 'app.tray_icon'],
    quick: ['app.quick_shortcut'],
  },
  updates: {
    versions: ['updates.mode', 'updates.feed', 'updates.public_key'],
  },
  delivery: {
    broker: ['nats.url', 'nats.credentials_file', 'nats.credentials_env'],
    content: ['events.include_text', 'limits.max_payload'],
    queue: ['limits.max_pending'],
    stream: ['nats.stream', 'nats.subjects', 'nats.replicas'],
  },
  channels: {
    unanswered: ['reminders.after', 'reminders.escalate_to'],
    news: ['digest.at', 'channels.default'],
    inbound: ['channels.port', 'channels.address'],
  },
  data: {
    log: ['log.level'],
    gateway: [
      'gateway.enabled',
      'gateway.budget_usd_per_day',
      'gateway.port',
      'gateway.memo_window',
      'gateway.fallback',
    ],
    monitoring: [
      'observability.enabled',
      'observability.health_port',
      'observability.metrics_port',
      'observability.require_token',
      'observability.traces_endpoint',
      'observability.traces_text',
    ],
  },
} as const satisfies Partial<Record<SectionName, Readonly<Record<string, readonly SettingKey[]>>>>;

/** The value type of each property, over all members of a union. */
type ValueOf<T> = T extends unknown ? T[keyof T] : never;
type NameOf<T> = T extends unknown ? keyof T : never;
type Groups = ValueOf<typeof SECTION_GROUPS>;
export type GroupName = NameOf<Groups>;

/** Settings with a component of their own; the search finds them too. */
export const OWN_PARTS = {
  'resilience.recovery.mode': 'recovery',
  'resilience.recovery.side_effect_tools': 'recovery',
  providers: 'providers',
  agents: 'agents',
  'mcp.servers': 'agents',
  'channels.own': 'channels',
} as const satisfies Partial<Record<SettingKey, SectionName>>;

/** Every key that this window shows. */
export type ShownKey = ValueOf<Groups>[number] | keyof typeof OWN_PARTS;

type SectionGroups = Readonly<Record<string, readonly ShownKey[]>>;

/** The headings of a section with their settings. */
export const groupsOf = (
  section: SectionName,
): readonly { readonly name: GroupName; readonly keys: readonly ShownKey[] }[] =>
  Object.entries(
    (SECTION_GROUPS as Readonly<Partial<Record<SectionName, SectionGroups>>>)[section] ?? {},
  ).map(([name, keys]) => ({ name: name as GroupName, keys }));

/** The settings of a section, in display order. */
export const sectionKeys = (section: SectionName): readonly ShownKey[] =>
  groupsOf(section).flatMap(({ keys }) => keys);

/**
 * Values that Holdfast records for itself: one sentence each, after the settings of the section.
 */
export const isRemembered = (key: ShownKey): boolean =>
  SECTION_GROUPS.general.remembered.some((known) => known === key);

/** The most used settings; the others are collapsed. */
const ESSENTIAL_KEYS: ReadonlySet<ShownKey> = new Set<ShownKey>([
  'app.theme',
  'app.start_at_login',
  'instance.restart_after_crash',
  'power.keep_awake',
  'approvals.mode',
  'approvals.tools',
  'skills.folders',
  'extensions.core.recall_tool',
  'resilience.recovery.gate_all_side_effects',
  'skill_resume.default',
  'resilience.recovery.max_age',
  'limits.turn_cost_usd',
  'limits.turn_time',
  'limits.max_running_turns',
  'resilience.auto_wait',
  'resilience.max_wait',
  'resilience.wait_for_quota',
  'fallback.mode',
  'resilience.scheduler.catchup_window',
  'resilience.scheduler.time_zone',
  'nats.url',
  'nats.credentials_file',
  'nats.credentials_env',
  'events.include_text',
  'log.level',
  'gateway.enabled',
  'gateway.budget_usd_per_day',
  'observability.enabled',
  ...SECTION_GROUPS.notifications.kinds,
  ...SECTION_GROUPS.notifications.quiet,
  ...SECTION_GROUPS.notifications.privacy,
  ...SECTION_GROUPS.tray.closing,
  ...SECTION_GROUPS.tray.quick,
  ...SECTION_GROUPS.updates.versions,
  ...SECTION_GROUPS.channels.unanswered,
  ...SECTION_GROUPS.channels.news,
]);

/**
 * Which of these settings are shown, and which are collapsed. A single one is shown, because it
 * takes no more room than its collapsed header.
 */
export function byRank(keys: readonly ShownKey[]): {
  readonly essential: readonly ShownKey[];
  readonly folded: readonly ShownKey[];
} {
  const essential = keys.filter((key) => ESSENTIAL_KEYS.has(key));
  return essential.length > 0 && keys.length - essential.length === 1
    ? { essential: keys, folded: [] }
    : { essential, folded: keys.filter((key) => !ESSENTIAL_KEYS.has(key)) };
}
