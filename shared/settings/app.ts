/** Settings of the app itself: its instance, its windows, its notifications. */
import { z } from 'zod';
import { duration, port, row } from './base';

/** The app and its monitoring. */
export const APP_SETTINGS = {
  'instance.on_conflict': row(
    () => z.enum(['auto', 'focus', 'takeover', 'refuse']),
    'auto',
    'restart',
    'What a second start does if Holdfast is already running',
  ),
  'instance.restart_after_crash': row(
    () => z.boolean(),
    true,
    'restart',
    'Restart automatically after a crash, up to 3 times in 10 minutes',
  ),
  'shutdown.grace': row(duration, '5s', 'hot', 'Shutdown timeout for each part'),
  'observability.enabled': row(
    () => z.boolean(),
    true,
    'restart',
    'Health and metrics endpoints on 127.0.0.1, for monitoring',
  ),
  'observability.health_port': row(
    port,
    8080,
    'restart',
    'Port for /live and /ready, or the next free port if it is in use',
  ),
  'observability.metrics_port': row(
    port,
    9090,
    'restart',
    'Port for /metrics, or the next free port if it is in use',
  ),
  'observability.require_token': row(
    () => z.boolean(),
    false,
    'restart',
    'Require the token in run/observability.token for /ready and /metrics',
  ),
  'observability.traces_endpoint': row(
    () =>
      z
        .string()
        .max(2000)
        .refine((text) => text === '' || /^https?:\/\/[^\s@]+$/.test(text), {
          message: 'It must be an http:// or https:// address without a name or password in it.',
        }),
    '',
    'hot',
    'Send turns and steps as OpenTelemetry traces to this collector (OTLP over HTTP); empty: off',
  ),
  'observability.traces_text': row(
    () => z.boolean(),
    false,
    'hot',
    'Send prompts, answers, tool inputs and results in traces, too',
  ),
  'hosts.addresses': row(
    () =>
      z.record(
        z
          .string()
          .regex(/^[A-Za-z][\w.-]{0,63}$/, 'use letters, digits, dots, dashes and underscores'),
        z
          .string()
          .max(400)
          .regex(/^ssh:\/\/[^\s-][^\s]*$/, 'write an address such as ssh://box.example'),
      ),
    {},
    'hot',
    'Other computers that run Holdfast, by name: ssh://user@host',
  ),
  'app.theme': row(() => z.enum(['system', 'light', 'dark']), 'system', 'hot', 'Color theme'),
  'app.close_to_tray': row(
    () => z.boolean(),
    true,
    'hot',
    'Keep Holdfast running in the tray when the window is closed',
  ),
  'app.tray_icon': row(
    () => z.enum(['auto', 'light', 'dark', 'off']),
    'auto',
    'hot',
    'Tray icon style: auto, light, dark or off. If off, closing the window asks whether to quit',
  ),
  'app.quick_shortcut': row(
    () =>
      z
        .string()
        .regex(
          /^$|^((Ctrl|Cmd|CmdOrCtrl|Alt|Shift|Super)\+){1,3}([A-Z0-9]|F([1-9]|1\d|2[0-4])|Space)$/,
          'a shortcut such as "Ctrl+Shift+H", or leave it empty',
        ),
    '',
    'hot',
    'Global shortcut that opens the quick prompt, such as Ctrl+Shift+H; empty for none',
  ),
  'app.start_at_login': row(
    () => z.boolean(),
    false,
    'hot',
    'Start Holdfast in the background when you log in',
  ),
  'app.first_start_done': row(
    () => z.boolean(),
    false,
    'hot',
    'Whether the onboarding has been completed',
  ),
  'app.close_notice_shown': row(
    () => z.boolean(),
    false,
    'hot',
    'Whether the notice about closing to the tray was shown',
  ),
  'notifications.restart': row(
    () => z.enum(['on', 'silent', 'off']),
    'on',
    'hot',
    'Notify after a crash',
  ),
  'notifications.decisions': row(
    () => z.enum(['on', 'silent', 'off']),
    'on',
    'hot',
    'Notify when something needs your decision',
  ),
  'notifications.outages': row(
    () => z.enum(['on', 'silent', 'off']),
    'on',
    'hot',
    'Notify when a provider goes down or is back, or events cannot be delivered',
  ),
  'notifications.answers': row(
    () => z.enum(['on', 'silent', 'off']),
    'on',
    'hot',
    'Notify when a task, timer or heartbeat has an answer for the window',
  ),
  'notifications.quiet_hours': row(
    () =>
      z
        .string()
        .regex(
          /^$|^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$/,
          'two clock times such as "22:00-07:00", or leave it empty',
        ),
    '',
    'hot',
    'Hours without notifications in local time, such as 22:00-07:00; one summary follows at the end',
  ),
  'notifications.urgent': row(
    () => z.array(z.string().min(1).max(200)).max(1000),
    [],
    'hot',
    'Agents and tools whose approvals still notify during quiet hours, by name: "coder", "office.send_email"',
  ),
  'notifications.show_details': row(
    () => z.boolean(),
    false,
    'hot',
    'Show tool names and prompts in notifications',
  ),
  'log.level': row(() => z.enum(['debug', 'info', 'warn', 'error']), 'info', 'hot', 'Log level'),
};
