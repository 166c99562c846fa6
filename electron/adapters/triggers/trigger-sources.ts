import path from 'node:path';
import type { TaskChecks } from '../../ports/checks';
import type { TriggerSources } from '../../ports/triggers';
import { fromHome } from '../files/from-home';
import type { NatsSubjects } from '../nats/nats-subjects';
import { watchBranch } from './branch-watch';
import { fileState, watchPlace } from './file-state';

interface TriggerSourcesDeps {
  readonly checks: () => Promise<TaskChecks>;
  /**
   * The event broker's subjects; undefined if none is configured. Loaded with the first task that
   * waits for one.
   */
  readonly loadSubjects: () => Promise<NatsSubjects> | undefined;
}

const pathOf = (place: string): string => path.resolve(fromHome(place));

/** The files and branches that tasks wait for. Loaded with the first such task. GT-02 */
export function createTriggerSources({ checks, loadSubjects }: TriggerSourcesDeps): TriggerSources {
  let subjects: Promise<NatsSubjects> | undefined;
  return {
    async look(trigger, agent, signal) {
      if (trigger.on === 'file') return fileState(pathOf(trigger.path), signal);
      const check = { kind: 'git', place: trigger.place, ref: trigger.ref } as const;
      const found = await (await checks()).run(check, { agent, by: 'user' }, signal);
      return found.kind === 'output' && found.exitCode === 0 ? found.text : undefined;
    },
    watch: (trigger, onHint) =>
      trigger.on === 'file'
        ? watchPlace(pathOf(trigger.path), onHint)
        : watchBranch(pathOf(trigger.place), trigger.ref, onHint),
    follow(wanted, take) {
      subjects ??= loadSubjects();
      void subjects?.then((one) => one.want(wanted, take));
    },
    async stop() {
      await (await subjects)?.stop();
    },
  };
}
