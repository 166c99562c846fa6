import type { VerbInput, VerbOutput } from '../../../shared/contract';
import type { HISTORY_VERBS } from '../../../shared/contract/history';
import { runDoctor, type DoctorDeps } from '../status/doctor';
import type { Handlers } from './handlers';

interface HistoryDeps {
  readonly doctor: DoctorDeps;
  readonly log: { readonly path: string; tail(lines: number): Promise<readonly string[]> };
  readonly dayLine: (input: VerbInput<'day.line'>) => Promise<VerbOutput<'day.line'>>;
  readonly eventList: (input: VerbInput<'events.list'>) => Promise<VerbOutput<'events.list'>>;
}

/** History for the windows and the command line. Reads only. */
export function historyHandlers(deps: HistoryDeps): Handlers<keyof typeof HISTORY_VERBS> {
  return {
    'doctor.run': ({ full = false, toShare = false }) =>
      runDoctor(deps.doctor, { isFull: full, isToShare: toShare }),
    'logs.tail': async ({ lines = 100 }) => ({
      path: deps.log.path,
      lines: [...(await deps.log.tail(lines))],
    }),
    'day.line': deps.dayLine,
    'events.list': deps.eventList,
  };
}
