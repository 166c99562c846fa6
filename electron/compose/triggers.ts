import os from 'node:os';
import path from 'node:path';
import { fileState, watchPlace } from '../adapters/triggers/file-state';
import type { TaskChecks } from '../ports/checks';
import type { TriggerSources } from '../ports/triggers';

const atHome = (place: string): string =>
  path.resolve(
    place === '~' || place.startsWith('~/') ? path.join(os.homedir(), place.slice(2)) : place,
  );

/** Files and branches that tasks wait for. Loaded with the first such task. GT-02 */
export const createTriggerSources = (checks: () => Promise<TaskChecks>): TriggerSources => ({
  async look(trigger, agent, signal) {
    if (trigger.on === 'file') return fileState(atHome(trigger.path), signal);
    const check = { kind: 'git', place: trigger.place, ref: trigger.ref } as const;
    const found = await (await checks()).run(check, { agent, by: 'user' }, signal);
    return found.kind === 'output' && found.exitCode === 0 ? found.text : undefined;
  },
  watch: (place, onHint) => watchPlace(atHome(place), onHint),
});
