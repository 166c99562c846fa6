/** Settings of the app itself: its instance, its windows, its notifications. */
import { z } from 'zod';
import { duration, port, row } from './base';

/** The app and its monitoring. */
export const APP_SETTINGS = {
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
  'app.tray_icon': row(
    () => z.enum(['auto', 'light', 'dark', 'off']),
    'auto',
    'hot',
    'By the bar of the desktop, for a light or a dark bar, or none: then closing the window asks whether to quit',
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
  'notifications.quiet_hours': row(
    () =>
      z
        .string()
        .regex(
          /^$|^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$/,
          'two clock times such as "22:00-07:00", or nothing',
        ),
    '',
    'hot',
    'Hours without notifications, local time: 22:00-07:00; one summary comes afterwards',
  ),
  'notifications.urgent': row(
    () => z.array(z.string().min(1).max(200)).max(1000),
    [],
    'hot',
    'Agents and tools whose approvals come in quiet hours, too, by name: "coder", "office.send_email"',
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
};
