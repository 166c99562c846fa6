/**
 * English: texts below a label in the settings window, used if the sentence of the command line and
 * the reference would only repeat the label.
 */
export const EN_SETTINGS_ABOUT = {
  'settingAbout.app.quick_shortcut':
    'Opens it from any program, such as Ctrl+Shift+H. Leave empty for none.',
  'settingAbout.app.tray_icon': 'If off, closing the window asks whether to quit.',
  'settingAbout.breakers.failure_threshold': 'In a row. Then requests to the dependency wait.',
  'settingAbout.budgets.caps':
    'When one is spent, new turns wait, running turns pause at the end of a step, and you are asked.',
  'settingAbout.budgets.timezone':
    'In which days, weeks and months start. Leave empty for this computer’s.',
  'settingAbout.channels.default': 'Also for replies whose own channel was removed.',
  'settingAbout.channels.port': 'On 127.0.0.1; the next free port if it is in use.',
  'settingAbout.digest.at':
    'In local time, such as 08:00, on channels without a time of their own.',
  'settingAbout.events.include_text': 'Prompts, answers and reasons, in the events about turns.',
  'settingAbout.extensions.core.recall_tool': 'With a tool that finds words in it.',
  'settingAbout.extensions.core.scheduler_tool':
    'With tools for them; existing tasks run without the tools.',
  'settingAbout.fallback.after': 'How long the outage or the usage limit has to last.',
  'settingAbout.fallback.mode':
    'Uses the agent’s fallback list. “Ask between vendors” still switches between keys of one vendor without a question.',
  'settingAbout.gateway.budget_usd_per_day':
    'When it is spent, the gateway sends nothing more that day. 0 is no limit.',
  'settingAbout.gateway.enabled': 'On 127.0.0.1. Carries external agents through outages.',
  'settingAbout.gateway.fallback':
    'They answer in the order given while the provider is down or at its usage limit.',
  'settingAbout.heartbeat.enabled': 'To check for work.',
  'settingAbout.heartbeat.interval': 'An interval or a cron expression.',
  'settingAbout.hosts.addresses':
    'Computers that run Holdfast themselves and that you reach with SSH.',
  'settingAbout.instance.restart_after_crash': 'Up to 3 times in 10 minutes.',
  'settingAbout.limits.max_pending':
    'When it is full, the oldest event is dropped and listed as undelivered.',
  'settingAbout.limits.max_waiting_turns': 'Beyond that, new turns are rejected.',
  'settingAbout.limits.turn_cost_usd':
    'At the limit, the turn pauses and asks you. Not enforced for external agents that report their cost only with the answer (Claude Code) or never (Codex, plain commands).',
  'settingAbout.limits.turn_steps': 'At the limit, the turn pauses and asks you.',
  'settingAbout.limits.turn_time': 'At the limit, the turn pauses and asks you.',
  'settingAbout.nats.replicas': 'Raised if the stream has fewer.',
  'settingAbout.nats.url':
    'Where events are published, separated by commas: tls://, or nats:// on this computer.',
  'settingAbout.notifications.quiet_hours': 'In local time, such as 22:00-07:00.',
  'settingAbout.notifications.urgent': 'Agents and tools, by name: coder, office.send_email.',
  'settingAbout.observability.health_port':
    'For /live and /ready; the next free port if it is in use.',
  'settingAbout.observability.metrics_port': 'For /metrics; the next free port if it is in use.',
  'settingAbout.observability.require_token':
    'The one in run/observability.token, for /ready and /metrics.',
  'settingAbout.observability.traces_text': 'Prompts, answers, tool inputs and results.',
  'settingAbout.power.keep_awake': 'Also when a task is due within 5 minutes.',
  'settingAbout.power.max_awake': 'Without a break in between.',
  'settingAbout.reminders.after': 'Once, on the channel that asked. 0 is never.',
  'settingAbout.reminders.escalate_to': 'If it is still open this long after the reminder.',
  'settingAbout.resilience.limit_first_wait': 'Doubles with each consecutive limit.',
  'settingAbout.resilience.max_wait': 'Then the turn needs your decision.',
  'settingAbout.resilience.recovery.max_age': 'An older interrupted turn needs your review.',
  'settingAbout.resilience.scheduler.check_failed':
    'Run the task anyway, or skip the run. Its history says which.',
  'settingAbout.resilience.scheduler.max_tasks_per_agent': 'Only active tasks count.',
  'settingAbout.resilience.scheduler.time_zone': 'Leave empty for this computer’s.',
  'settingAbout.resilience.wait_for_quota':
    'Also after a Retry-After. If no time is given, the two waits under Advanced count.',
  'settingAbout.resume.orphans': 'After a crash: wait up to 30 s, or terminate them at once.',
  'settingAbout.share.name': 'Leave empty for its host name.',
  'settingAbout.share.private_folders':
    'In addition to the folder of each agent, your home folder, and the data directory.',
  'settingAbout.share.max_wait': 'Until then, turns with a higher priority go first.',
  'settingAbout.shell.sleep_guard':
    'The agent is pointed to the timer that does the same without waiting.',
  'settingAbout.tasks.own':
    'Written in config.json and changed there. You create other tasks on the Schedule page.',
  'settingAbout.updates.mode':
    'Checks are made once a day. A version is installed only while no turn runs.',
  'settingAbout.work.requeue_delay': 'Doubles with each consecutive failure.',
} as const;
