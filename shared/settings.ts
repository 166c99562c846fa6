/**
 * Every setting of Holdfast: key, schema, default, when a change takes effect, one sentence.
 *
 * The file `D/config.json` holds them nested in snake_case (`resilience.recovery.mode` is
 * `{"resilience":{"recovery":{"mode":…}}}`). The settings window, `holdfast config` and the file
 * all use these keys. Source: S0-02, S0-36, S0-37, S1-33.
 */
import { z } from 'zod';
import { once } from './once';
import { parseDuration } from './durations';
import { channels } from './channel-settings';
import { mcpServerName, mcpServers } from './mcp-settings';
import { MAX_EVENT_BYTES } from './states';
import { brokerUrlProblem, urlProblem } from './safe-url';
import { parseSchedule } from './schedule/grammar';

/** A duration in text or ms; kept as written, read with {@link durationMs}. */
const duration = once(() =>
  z
    .union([z.string().max(40), z.number()], {
      error: 'a duration is text such as "90s" or "1h", or a whole number of milliseconds',
    })
    .superRefine((value, context) => {
      const parsed = parseDuration(value);
      if (!parsed.ok) context.addIssue({ code: 'custom', message: parsed.reason });
    }),
);

/** A rhythm: short ones would ask without a pause. */
const rhythm = once(() =>
  duration().superRefine((value, context) => {
    const parsed = parseDuration(value);
    if (parsed.ok && parsed.ms < 100)
      context.addIssue({ code: 'custom', message: 'at least 100ms' });
  }),
);

/** Milliseconds of a validated duration setting. */
export function durationMs(value: string | number): number {
  const parsed = parseDuration(value);
  return parsed.ok ? parsed.ms : 0;
}

const name = once(() =>
  z
    .string()
    .min(1)
    .max(64)
    .regex(/^[a-z0-9][a-z0-9._-]*$/i, 'use letters, digits, dot, dash and underscore'),
);

/** Agents of other programs wait for their own providers under such a name. */
const providerName = once(() =>
  name().refine(
    (text) => !text.startsWith('agent.'),
    'take a name that does not begin with "agent."',
  ),
);

/** Where keys may be sent: https, or http on this computer; nothing secret in the address. T6. */
const providerUrl = once(() =>
  z
    .string()
    .max(500)
    .superRefine((value, context) => {
      const problem = urlProblem(value);
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
    }),
);

/** Address of a NATS server, or nothing. */
const brokerUrl = once(() =>
  z
    .string()
    .max(500)
    .superRefine((value, context) => {
      const problem = value === '' ? undefined : brokerUrlProblem(value);
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
    }),
);

/** A subject of NATS; `*` stands for one token, `>` for all that follow. */
const subject = once(() =>
  z
    .string()
    .max(200)
    .regex(
      /^(?:[A-Za-z0-9_-]+|\*)(?:\.(?:[A-Za-z0-9_-]+|\*))*(?:\.>)?$|^>$/,
      'use letters, digits, dash and underscore with dots between; * is one token, > the rest',
    ),
);

/** One model provider. Keys are never in the settings: see `provider.setKey`. */
export const providerSettings = once(() =>
  z.strictObject({
    kind: z.enum(['openai-compatible', 'anthropic', 'google']),
    /** https, or http on a loopback address. */
    base_url: providerUrl().optional(),
    /** Environment variable that holds the key. */
    api_key_env: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/)
      .optional(),
    /** Path of a file (mode 0600) that holds the key. */
    api_key_file: z.string().max(4096).optional(),
    /** US dollars per million tokens, for the cost of a turn; unknown when absent. */
    price_input_per_million_usd: z.number().nonnegative().max(100_000).optional(),
    price_output_per_million_usd: z.number().nonnegative().max(100_000).optional(),
  }),
);

/** Names of environment variables; their values are never in the settings. */
const environmentNames = once(() =>
  z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/)).max(200),
);
/** Folder an agent works in; absolute. */
const workspace = once(() => z.string().min(1).max(4096));
/** A program and its arguments; never a shell line. */
const program = once(() => z.string().min(1).max(4096));
const programArguments = once(() => z.array(z.string().max(10_000)).max(200));

/** A tool that somebody outside Holdfast carries out. */
const customTool = once(() =>
  z.strictObject({
    name: z.string().regex(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/),
    description: z.string().max(4000),
    /** JSON schema of the arguments; an object without rules when absent. */
    input_schema: z.record(z.string(), z.json()).optional(),
  }),
);

/** False: its turns are put to you where they would have to wait for their provider. */
const mayWait = once(() => z.boolean().optional());

/** One agent of the `llm` executor. */
export const llmAgentSettings = once(() =>
  z.strictObject({
    executor: z.literal('llm').optional(),
    provider: name(),
    model: z.string().min(1).max(200),
    workspace: workspace(),
    instructions: z.string().max(100_000).optional(),
    /** Built-in tools the agent may use; all when absent. */
    tools: z.array(z.string().min(1).max(128)).max(200).optional(),
    /**
     * MCP servers whose tools the agent has. Absent: those of all enabled servers where `tools` is
     * absent too, else only tools that `tools` names as `server.tool`.
     */
    mcp_servers: z.array(mcpServerName()).max(100).optional(),
    /** Names of environment variables its shell commands receive in addition to the plain ones. */
    env: environmentNames().optional(),
    /**
     * Files that it writes become drafts that a person promotes (S3-20). Off by default: a write is a
     * write, and its shell commands see it; with drafts they do not.
     */
    drafts: z.boolean().optional(),
    /** Tools that the outside carries out: a call waits for `session custom-tool-result` (S3-09). */
    custom_tools: z.array(customTool()).max(100).optional(),
    /** Skills the agent may run; all that are there when absent. */
    skills: z.array(z.string().min(1).max(64)).max(500).optional(),
    wait: mayWait(),
  }),
);

/** An agent that speaks the Agent Client Protocol, started by its command. */
export const acpAgentSettings = once(() =>
  z.strictObject({
    executor: z.literal('acp'),
    command: program(),
    args: programArguments().optional(),
    workspace: workspace(),
    /** Names of environment variables it receives in addition to the plain ones: its keys. */
    env: environmentNames().optional(),
    /** Model that the agent is asked to use, by the name it gives it. */
    model: z.string().min(1).max(200).optional(),
    /** `always`: a person answers every question of the agent. `policy`: the rules answer first. */
    ask: z.enum(['always', 'policy']).optional(),
    /** Id of the agent's own way to log in; used when it asks for one. */
    login: z.string().min(1).max(200).optional(),
    wait: mayWait(),
  }),
);

/** An agent that is one command line per turn. */
export const commandAgentSettings = once(() =>
  z.strictObject({
    executor: z.literal('command'),
    command: program(),
    args: programArguments().optional(),
    workspace: workspace(),
    env: environmentNames().optional(),
    /** How it is told what to do. */
    prompt_mode: z.enum(['stdin', 'argument']).optional(),
    /** Arguments that make it go on with an earlier run. */
    resume_args: programArguments().optional(),
    /** Longest run. */
    deadline: duration().optional(),
    wait: mayWait(),
  }),
);

/** An IANA name that the runtime knows; empty: the zone of the computer. */
const timeZone = once(() =>
  z
    .string()
    .max(64)
    .superRefine((value, context) => {
      if (value === '') return;
      try {
        new Intl.DateTimeFormat('en-US', { timeZone: value });
      } catch {
        context.addIssue({
          code: 'custom',
          message: `"${value}" is no time zone; use a name such as "Europe/Berlin"`,
        });
      }
    }),
);

/** An interval or a cron expression. */
const scheduleText = once(() =>
  z
    .string()
    .max(200)
    .superRefine((value, context) => {
      const parsed = parseSchedule(value);
      if (!parsed.ok) context.addIssue({ code: 'custom', message: parsed.error });
      else if (parsed.kind === 'once')
        context.addIssue({ code: 'custom', message: `"${value}" does not repeat` });
    }),
);

/** One agent: which executor drives it, and what that one needs. Absent means `llm`. */
export const agentSettings = once(() =>
  z.discriminatedUnion('executor', [
    llmAgentSettings(),
    acpAgentSettings(),
    commandAgentSettings(),
  ]),
);

/** When a changed value is used. */
export type AppliesWhen = 'hot' | 'restart';

/** One row of {@link SETTINGS}. */
export interface SettingRow<S extends z.ZodType = z.ZodType> {
  readonly schema: S;
  readonly default: z.infer<S>;
  readonly applies: AppliesWhen;
  readonly about: string;
}

function row<S extends z.ZodType>(
  schemaOf: () => S,
  defaultValue: z.infer<S>,
  applies: AppliesWhen,
  about: string,
): SettingRow<S> {
  const schema = once(schemaOf);
  return {
    get schema() {
      return schema();
    },
    default: defaultValue,
    applies,
    about,
  };
}

/** On 127.0.0.1; 0 is any free one. */
const port = once(() => z.number().int().min(0).max(65_535));
const threshold = once(() => z.number().int().min(1).max(1000));
/** What single breakers have of their own; the rest is that of all. */
const breakerSettings = once(() =>
  z
    .strictObject({
      failure_threshold: threshold().optional(),
      success_threshold: threshold().optional(),
      initial_backoff: duration().optional(),
      max_backoff: duration().optional(),
    })
    .refine(
      ({ initial_backoff: low, max_backoff: high }) =>
        low === undefined || high === undefined || durationMs(high) >= durationMs(low),
      'max_backoff must not be below initial_backoff',
    ),
);
/** Calls of one chain, the first included. */
const attempts = once(() => z.number().int().min(1).max(20));

const policy = once(() => z.enum(['retry', 'skip', 'discard_skill', 'prompt']));

/** The table of settings. Keys are stable; a removed key becomes an alias, never an error. */
export const SETTINGS = {
  'resilience.recovery.mode': row(
    () => z.enum(['safe_only', 'always', 'never']),
    'safe_only',
    'hot',
    'What happens to a turn that a crash cut off',
  ),
  'resilience.recovery.side_effect_tools': row(
    () => z.array(z.string().min(1).max(200)).max(1000),
    [],
    'hot',
    'Tools whose turns are held for you after a crash (in safe_only)',
  ),
  'resilience.recovery.gate_all_side_effects': row(
    () => z.boolean(),
    false,
    'hot',
    'Hold every turn in which any side effect started, listed or not',
  ),
  'resilience.recovery.max_age': row(
    duration,
    '24h',
    'hot',
    'Older cut-off turns are shown, not run',
  ),
  'resilience.recovery.max_attempts': row(
    () => z.number().int().min(1).max(100),
    3,
    'hot',
    'After this many crashes at the same place a turn is parked',
  ),
  'resilience.recovery.resume_delay': row(
    duration,
    '2s',
    'hot',
    'Wait before the second resume of the same turn; doubles each time',
  ),
  'resilience.recovery.retention_days': row(
    () => z.number().int().min(1).max(3650),
    30,
    'hot',
    'Days that the steps of closed turns are kept',
  ),
  'resilience.outage_threshold': row(
    () => z.number().int().min(1).max(1000),
    3,
    'hot',
    'Turns in a row that fail by a provider before an outage of it is declared',
  ),
  'resilience.probe_interval': row(
    rhythm,
    '1h',
    'hot',
    'How often a provider that is down is asked, at the least, whether it is there',
  ),
  'resilience.early_probe': row(
    () => z.boolean(),
    true,
    'hot',
    'Ask it earlier, too: after 10, 20, 40, 80 and every 120 seconds',
  ),
  'resilience.auto_wait': row(
    () => z.boolean(),
    true,
    'hot',
    'Turns wait by themselves for a provider that is down; off puts each of them to you',
  ),
  'resilience.max_wait': row(
    duration,
    '24h',
    'hot',
    'Longest wait for a provider; then the turn is put to you',
  ),
  'resilience.wait_for_quota': row(
    () => z.boolean(),
    true,
    'hot',
    'Wait until the time that a provider names for its quota or asks for quiet',
  ),
  'skill_resume.default': row(
    policy,
    'retry',
    'hot',
    'What a resumed turn does with a step whose result is unknown',
  ),
  'skill_resume.per_skill': row(
    () => z.record(z.string().min(1).max(200), policy()),
    {},
    'hot',
    'The same, for single skills',
  ),
  'skills.folders': row(
    () => z.array(z.string().min(1).max(4096)).max(50),
    [],
    'hot',
    'More folders with skills, besides "skills" in the data folder',
  ),
  'resume.world_drift': row(
    () => z.enum(['continue', 'pin', 'hold']),
    'continue',
    'hot',
    'When something read again after a crash has changed',
  ),
  'resume.orphans': row(
    () => z.enum(['wait', 'end']),
    'wait',
    'hot',
    'What an outside agent left at work when Holdfast ended: wait for it up to 30 s, or end it at once',
  ),
  'resilience.scheduler.catchup_window': row(
    () => z.union([z.literal('off'), duration()]),
    '1h',
    'hot',
    'Age up to which a missed run is made up for; "0" or "off": never',
  ),
  'resilience.scheduler.catchup_spacing': row(
    duration,
    '1s',
    'hot',
    'Time between runs that are made up for together',
  ),
  'resilience.scheduler.time_zone': row(
    timeZone,
    '',
    'hot',
    'Time zone of new tasks; empty: that of the computer',
  ),
  'resilience.scheduler.max_tasks_per_agent': row(
    () => z.number().int().min(0).max(10_000),
    50,
    'hot',
    'Tasks that one agent may have made and not cancelled',
  ),
  'heartbeat.enabled': row(
    () => z.boolean(),
    false,
    'hot',
    'Wake a session at an interval to look whether anything needs doing',
  ),
  'heartbeat.interval': row(
    scheduleText,
    'every 5m',
    'hot',
    'How often that happens: an interval or a cron expression',
  ),
  'heartbeat.contextId': row(
    () => z.string().min(1).max(200),
    'main',
    'hot',
    'The session that is woken',
  ),
  'extensions.core.scheduler_tool': row(
    () => z.boolean(),
    true,
    'hot',
    'Agents have the tools for tasks, timers and heartbeats; tasks that are there run on without them',
  ),
  'shell.guarded_tools': row(
    () => z.array(z.string().min(1).max(200)).max(200),
    [],
    'hot',
    'Tools of MCP servers that run shell commands, as "server.tool": they pass the same guard',
  ),
  'shell.sleep_guard': row(
    () => z.boolean(),
    true,
    'hot',
    'Refuse shell commands of agents that only wait, and name the timer that does the same',
  ),
  'limits.turn_steps': row(
    () => z.number().int().min(1).max(100_000),
    100,
    'hot',
    'Steps after which a turn pauses and asks',
  ),
  'limits.turn_time': row(
    duration,
    '30m',
    'hot',
    'Running time after which a turn pauses and asks',
  ),
  'limits.turn_cost_usd': row(
    () => z.number().min(0).max(100_000),
    2,
    'hot',
    'Cost after which a turn pauses and asks',
  ),
  'limits.max_running_turns': row(
    () => z.number().int().min(1).max(10_000),
    8,
    'hot',
    'Turns that run at the same time',
  ),
  'limits.max_pending': row(
    () => z.number().int().min(1).max(1_000_000),
    10_000,
    'hot',
    'Events that may wait for the broker; at that number the oldest goes to the dead letters',
  ),
  'limits.max_payload': row(
    () => z.number().int().min(1).max(MAX_EVENT_BYTES),
    MAX_EVENT_BYTES,
    'hot',
    'Largest event that is taken, in bytes',
  ),
  'nats.url': row(
    brokerUrl,
    '',
    'restart',
    'NATS server that events go to: tls://, or nats:// on this computer; empty: none',
  ),
  'nats.stream': row(
    () => z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'use letters, digits, dash and underscore'),
    'HOLDFAST',
    'restart',
    'JetStream stream that keeps the events; made where it is missing',
  ),
  'nats.subjects': row(
    () => z.array(subject()).min(1).max(100),
    ['holdfast.>'],
    'restart',
    'Topics that the stream takes, where Holdfast makes it',
  ),
  'nats.credentials_env': row(
    () => z.string().regex(/^([A-Za-z_][A-Za-z0-9_]{0,127})?$/, 'name an environment variable'),
    '',
    'restart',
    'Environment variable that holds token, user:password or .creds text for NATS',
  ),
  'nats.credentials_file': row(
    () => z.string().max(4096),
    '',
    'restart',
    'File (mode 0600) that holds the same',
  ),
  'events.include_text': row(
    () => z.boolean(),
    false,
    'hot',
    'Put prompts, answers and reasons into the events that Holdfast publishes about turns',
  ),
  'limits.max_waiting_turns': row(
    () => z.number().int().min(1).max(1_000_000),
    10_000,
    'hot',
    'Turns that may wait for providers; beyond it new ones are refused',
  ),
  'approvals.mode': row(
    () => z.enum(['risky', 'all_effects', 'off']),
    'risky',
    'hot',
    'Which calls wait for your approval',
  ),
  'approvals.tools': row(
    () => z.record(z.string().min(1).max(200), z.enum(['allow', 'ask', 'deny'])),
    {},
    'hot',
    'The same, for single tools',
  ),
  'work.lease_renew': row(
    duration,
    '60s',
    'hot',
    'How often a running turn says on disk that it lives',
  ),
  'work.lease_stale': row(
    duration,
    '600s',
    'hot',
    'Silence after which a running turn is taken over',
  ),
  'work.requeue_delay': row(
    duration,
    '2s',
    'hot',
    'Wait after a failed model call; doubles with each failure in a row',
  ),
  'work.requeue_max_delay': row(
    duration,
    '30s',
    'hot',
    'Longest wait after failed model calls, unless the provider asks for more',
  ),
  'work.max_requeues': row(
    () => z.number().int().min(0).max(1000),
    10,
    'hot',
    'After this many waits in a row a turn is parked',
  ),
  'breakers.failure_threshold': row(
    threshold,
    5,
    'hot',
    'Failed calls in a row after which nothing more is sent to a dependency',
  ),
  'breakers.success_threshold': row(
    threshold,
    2,
    'hot',
    'Successful trials in a row after which calls go through again',
  ),
  'breakers.initial_backoff': row(
    duration,
    '10s',
    'hot',
    'First wait before a trial; doubles with each trial that fails',
  ),
  'breakers.max_backoff': row(duration, '120s', 'hot', 'Longest wait before a trial'),
  'breakers.per_dependency': row(
    () => z.record(z.string().min(1).max(200), breakerSettings()),
    {},
    'hot',
    'The same four, for single breakers by name, as `provider.anthropic`',
  ),
  'retry.rate_limited.max_attempts': row(
    attempts,
    5,
    'hot',
    'Calls in all where a provider asks to slow down (429)',
  ),
  'retry.rate_limited.first_wait': row(
    duration,
    '1s',
    'hot',
    'Wait after the first such answer; doubles with each',
  ),
  'retry.rate_limited.max_wait': row(
    duration,
    '60s',
    'hot',
    'Longest such wait; a turn that has to wait longer is put aside until then',
  ),
  'retry.server.max_attempts': row(
    attempts,
    3,
    'hot',
    'Calls in all where a provider fails (5xx) or cannot be reached',
  ),
  'retry.server.first_wait': row(
    duration,
    '1s',
    'hot',
    'Wait after the first such failure; doubles with each',
  ),
  'retry.server.max_wait': row(
    duration,
    '30s',
    'hot',
    'Longest such wait; a turn that has to wait longer is put aside until then',
  ),
  'channels.default': row(
    () => z.string().min(1).max(64),
    'window',
    'hot',
    'Where restart notices go first, and answers whose own channel is gone',
  ),
  'channels.own': row(channels, {}, 'hot', 'Channels of your own: webhook, telegram, command'),
  'channels.port': row(
    port,
    8788,
    'hot',
    'Port on 127.0.0.1 where webhooks are heard; the next free one where it is taken',
  ),
  'shell.timeout': row(duration, '2m', 'hot', 'Longest run of one shell command'),
  'shell.max_output_kb': row(
    () => z.number().int().min(1).max(10_240),
    256,
    'hot',
    'Output kept of one shell command',
  ),
  'browser.command': row(
    () => z.string().max(4096),
    '',
    'hot',
    'Browser of the agents: a Chromium, by path or name; empty takes the first one found',
  ),
  'browser.headless': row(
    () => z.boolean(),
    true,
    'hot',
    'Agents use the browser without a window',
  ),
  'browser.timeout': row(duration, '30s', 'hot', 'Longest single action in the browser'),
  'browser.idle': row(duration, '5m', 'hot', 'A browser that nobody uses is closed after'),
  'browser.local_hosts': row(
    () => z.array(z.string().regex(/^[\w.[\]:-]{1,255}$/)).max(100),
    [],
    'hot',
    'Hosts of this computer or the private network that it may reach, such as localhost:3000',
  ),
  'instance.on_conflict': row(
    () => z.enum(['auto', 'focus', 'takeover', 'refuse']),
    'auto',
    'restart',
    'When Holdfast is started while it is running',
  ),
  'instance.restart_after_crash': row(
    () => z.boolean(),
    true,
    'restart',
    'Start again after an unexpected end, at most 3 times in 10 minutes',
  ),
  'shutdown.grace': row(duration, '5s', 'hot', 'Longest wait for each part when stopping'),
  'observability.enabled': row(
    () => z.boolean(),
    true,
    'restart',
    'Health and metrics on 127.0.0.1, for programs that watch Holdfast',
  ),
  'observability.health_port': row(
    port,
    8080,
    'restart',
    'Port of /live and /ready; the next free one where it is taken',
  ),
  'observability.metrics_port': row(
    port,
    9090,
    'restart',
    'Port of /metrics; the next free one where it is taken',
  ),
  'observability.require_token': row(
    () => z.boolean(),
    false,
    'restart',
    'Answer /ready and /metrics only with the token in run/observability.token',
  ),
  'gateway.enabled': row(
    () => z.boolean(),
    false,
    'hot',
    'A gateway on 127.0.0.1 through which agents of other programs live through outages',
  ),
  'gateway.port': row(
    port,
    8787,
    'hot',
    'Port of the gateway; the next free one where it is taken',
  ),
  'gateway.budget_usd_per_day': row(
    () => z.number().min(0).max(100_000),
    0,
    'hot',
    'US dollars after which the gateway sends nothing more to a provider that day; 0 is no limit',
  ),
  'gateway.memo_window': row(
    duration,
    '10m',
    'hot',
    'An agent that asks exactly the same again within this time gets the same answer; 0 is never',
  ),
  'app.theme': row(
    () => z.enum(['system', 'light', 'dark']),
    'system',
    'hot',
    'Colours of the windows',
  ),
  'app.close_to_tray': row(
    () => z.boolean(),
    true,
    'hot',
    'Closing the window keeps Holdfast running in the tray',
  ),
  'app.start_at_login': row(() => z.boolean(), false, 'hot', 'Start hidden when you log in'),
  'app.first_start_done': row(
    () => z.boolean(),
    false,
    'hot',
    'The first start story has been seen',
  ),
  'app.close_notice_shown': row(
    () => z.boolean(),
    false,
    'hot',
    'The notice about closing to the tray was shown',
  ),
  'notifications.restart': row(
    () => z.enum(['on', 'silent', 'off']),
    'on',
    'hot',
    'After an unexpected stop',
  ),
  'notifications.decisions': row(
    () => z.enum(['on', 'silent', 'off']),
    'on',
    'hot',
    'When something needs your decision',
  ),
  'notifications.outages': row(
    () => z.enum(['on', 'silent', 'off']),
    'on',
    'hot',
    'When a provider stops answering, answers again, or events cannot be delivered',
  ),
  'notifications.answers': row(
    () => z.enum(['on', 'silent', 'off']),
    'on',
    'hot',
    'When a task, timer or heartbeat has an answer for the window',
  ),
  'notifications.show_details': row(
    () => z.boolean(),
    false,
    'hot',
    'Name tools and prompts in notifications',
  ),
  'log.level': row(
    () => z.enum(['debug', 'info', 'warn', 'error']),
    'info',
    'hot',
    'How much the log says',
  ),
  'mcp.servers': row(mcpServers, {}, 'hot', 'MCP servers: tools of other programs'),
  providers: row(() => z.record(providerName(), providerSettings()), {}, 'hot', 'Model providers'),
  agents: row(() => z.record(name(), agentSettings()), {}, 'hot', 'Agents of your own'),
} as const satisfies Record<string, SettingRow>;

/** A key of {@link SETTINGS}. */
export type SettingKey = keyof typeof SETTINGS;

/** The value type of a key. */
export type SettingValue<K extends SettingKey> = z.infer<(typeof SETTINGS)[K]['schema']>;

/** All settings with their types. */
export type Settings = { readonly [K in SettingKey]: SettingValue<K> };

/** Where the effective value of a key comes from. */
export const SETTING_SOURCES = ['default', 'file', 'environment', 'command line'] as const;
export type SettingSource = (typeof SETTING_SOURCES)[number];

export type ProviderSettings = z.infer<ReturnType<typeof providerSettings>>;
export type AgentSettings = z.infer<ReturnType<typeof agentSettings>>;
export type LlmAgentSettings = z.infer<ReturnType<typeof llmAgentSettings>>;
export type AcpAgentSettings = z.infer<ReturnType<typeof acpAgentSettings>>;
export type CommandAgentSettings = z.infer<ReturnType<typeof commandAgentSettings>>;

/** True where the built-in executor drives the agent. */
export function isLlmAgent(agent: AgentSettings): agent is LlmAgentSettings {
  return agent.executor === undefined || agent.executor === 'llm';
}

/** True where `key` names a setting. */
export function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(SETTINGS, key);
}

/**
 * The key that a person means: keys of the documents without their leading `resilience.` are
 * accepted too (`recovery.max_age`), and those of the breakers by their last word
 * (`failure_threshold`). Undefined where no setting has this name. Row X-06.
 */
export function canonicalKey(key: string): SettingKey | undefined {
  const word = key.replace(/^circuit_breaker\./, '');
  return [key, `resilience.${key}`, `breakers.${word}`].find(isSettingKey);
}

/** Pairs of which the second must not be below the first. S2-15. */
export const RISING_SETTINGS = [
  ['breakers.initial_backoff', 'breakers.max_backoff'],
  ['retry.rate_limited.first_wait', 'retry.rate_limited.max_wait'],
  ['retry.server.first_wait', 'retry.server.max_wait'],
] as const satisfies readonly (readonly [SettingKey, SettingKey])[];

/** A pair that falls, in words and with its two keys; undefined where every pair rises. */
export function fallingPair(
  valueOf: (key: SettingKey) => unknown,
): { readonly keys: readonly [SettingKey, SettingKey]; readonly sentence: string } | undefined {
  const msOf = (key: SettingKey): number => durationMs(valueOf(key) as string | number);
  const keys = RISING_SETTINGS.find(([low, high]) => msOf(high) < msOf(low));
  if (keys === undefined) return undefined;
  const [low, high] = keys;
  const shown = (key: SettingKey): string => JSON.stringify(valueOf(key));
  return {
    keys,
    sentence: `${high} must not be below ${low}; ${shown(high)} is below ${shown(low)}`,
  };
}

/**
 * Reads a value that came as text, from the command line or the environment: JSON where the
 * setting accepts it so, else the text itself. `50`, `["a"]`, `always` and `"always"` all work.
 * The result is not validated further: `set` does that.
 */
export function settingFromText(key: SettingKey, text: string): unknown {
  const { schema } = SETTINGS[key];
  let parsed: unknown = text;
  try {
    parsed = JSON.parse(text);
  } catch {
    return text;
  }
  return !schema.safeParse(parsed).success && schema.safeParse(text).success ? text : parsed;
}
