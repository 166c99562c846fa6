import { parseDuration } from '../../shared/durations';
import { useVerb } from '../bridge';
import { durationText } from '../parts/time-view';

/** The maximum age at which a missed run is caught up, from the settings. */
export function useCatchupWindow(): string | undefined {
  const setting = useVerb('config.get', { key: 'resilience.scheduler.catchup_window' });
  const value = setting.data?.value;
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const parsed = parseDuration(value);
  return parsed.ok && parsed.ms > 0 ? durationText(parsed.ms) : String(value);
}
