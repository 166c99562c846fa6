import { lastQuietEndMs } from '../../../shared/quiet-hours';
import { durationMs } from '../../../shared/settings';
import type { Clock } from '../../ports/clock';
import type { SettingsPort } from '../../ports/settings';
import type { QuestionTimes } from './plan-reminders';

/** Reminders and quiet hours as the settings and the desktop say at each look. PH-07 */
export function createQuestionTimes(
  { settings, clock }: { readonly settings: Pick<SettingsPort, 'get'>; readonly clock: Clock },
  isQuietNow: () => boolean,
): () => QuestionTimes {
  let endedAtMs = 0;
  let wasQuiet = false;
  return () => {
    const nowMs = clock.nowMs();
    const isQuiet = isQuietNow();
    if (wasQuiet && !isQuiet) endedAtMs = nowMs;
    wasQuiet = isQuiet;
    return {
      nowMs,
      isQuiet,
      awakeSinceMs: Math.max(
        endedAtMs,
        lastQuietEndMs(settings.get('notifications.quiet_hours'), nowMs),
      ),
      afterMs: durationMs(settings.get('reminders.after')),
    };
  };
}
