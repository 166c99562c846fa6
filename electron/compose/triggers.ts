import os from 'node:os';
import path from 'node:path';
import { fileState, watchPlace } from '../adapters/triggers/file-state';
import { watchBranch } from '../adapters/triggers/branch-watch';
import { natsCredential } from './nats-credential';
import type { NatsSubjects } from '../adapters/nats/nats-subjects';
import type { TaskChecks } from '../ports/checks';
import type { Core } from './core';
import type { TriggerSources } from '../ports/triggers';

const atHome = (place: string): string =>
  path.resolve(
    place === '~' || place.startsWith('~/') ? path.join(os.homedir(), place.slice(2)) : place,
  );

/** Files and branches that tasks wait for. Loaded with the first such task. GT-02 */
export function createTriggerSources(
  core: Core,
  checks: () => Promise<TaskChecks>,
): TriggerSources {
  let subjects: Promise<NatsSubjects> | undefined;
  return {
    async look(trigger, agent, signal) {
      if (trigger.on === 'file') return fileState(atHome(trigger.path), signal);
      const check = { kind: 'git', place: trigger.place, ref: trigger.ref } as const;
      const found = await (await checks()).run(check, { agent, by: 'user' }, signal);
      return found.kind === 'output' && found.exitCode === 0 ? found.text : undefined;
    },
    watch: (trigger, onHint) =>
      trigger.on === 'file'
        ? watchPlace(atHome(trigger.path), onHint)
        : watchBranch(atHome(trigger.place), trigger.ref, onHint),
    follow(wanted, take) {
      if (core.settings.get('nats.url') === '') return;
      subjects ??= loadSubjects(core);
      void subjects.then((one) => one.want(wanted, take));
    },
    async stop() {
      await (await subjects)?.stop();
    },
  };
}

/** Loaded with the first task that waits for a message of the broker. */
async function loadSubjects({
  settings,
  disk: { reads },
  records: { log },
  secrets: { redactor },
  world: { ownEnvironment, clock },
}: Core): Promise<NatsSubjects> {
  const { createNatsSubjects } = await import('../adapters/nats/nats-subjects');
  return createNatsSubjects({
    url: settings.get('nats.url'),
    owner: reads.databaseId(),
    credential: () => natsCredential({ settings, ownEnvironment, redactor }),
    clock,
    log,
  });
}
