import type { VerbInput, VerbOutput } from '../../shared/contract';
import { isSleepGuardOn } from '../engine/shell-policy/guarded-tools';
import { computerZone } from '../adapters/clock/system-clock';
import { previewSchedule } from '../engine/schedule/preview';

/** Explains a schedule without any data: no running engine or setup needed. */
export async function trySchedule(
  input: VerbInput<'schedule.parse'>,
  nowMs: number,
): Promise<VerbOutput<'schedule.parse'>> {
  return previewSchedule(
    {
      expr: input.expr,
      zone: input.tz ?? computerZone(),
      fromMs: input.fromMs ?? nowMs,
      count: input.count ?? 5,
    },
    async () => (await import('../adapters/dates/cron-dates')).createCronDates(),
  );
}

/** Whether an agent may run a command, by the guard in this environment. */
export async function tryGuard(
  command: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<VerbOutput<'guard.check'>> {
  const { judgeSleep } = await import('../engine/shell-policy/sleep-guard');
  const isOn = isSleepGuardOn(true, env);
  const verdict = judgeSleep(command);
  return isOn ? { ...verdict, isOn } : { blocked: false, isOn };
}
