import { describe, expect, it } from 'vitest';
import { createAcpExecutor } from '../../../electron/engine/executors/acp/run';
import type { AcpRunDeps } from '../../../electron/engine/executors/acp/deps';
import { createCommandExecutor } from '../../../electron/engine/executors/command/run';
import type { CommandRunDeps } from '../../../electron/engine/executors/command/deps';
import type { Executor } from '../../../electron/engine/executors/run-turn';
import type { Lease } from '../../../electron/engine/turns/lease-table';
import { turnRow } from '../recovery/step-rows';

/** Any use of the store, a lease or a program fails the test: nothing but the settings is there. */
const settingsOnly = <T>(settings: Partial<T>): T =>
  new Proxy(settings, {
    get(target, name) {
      if (name in target) return Reflect.get(target, name) as unknown;
      throw new Error(`${String(name)} was used`);
    },
  }) as T;

const EXECUTORS: readonly (readonly [string, Executor])[] = [
  ['acp', createAcpExecutor(settingsOnly<AcpRunDeps>({ specOf: () => undefined }))],
  ['command', createCommandExecutor(settingsOnly<CommandRunDeps>({ commandOf: () => undefined }))],
];

describe('an agent whose type is changed as its turn starts', () => {
  it.each(EXECUTORS)('is refused by %s before anything is written', async (_name, executor) => {
    const opened = await executor.open(turnRow({ agent: 'coder' }), settingsOnly<Lease>({}));
    expect(opened).toEqual({
      kind: 'refused',
      reason:
        'The agent "coder" was changed to another type as this turn was starting. Nothing was run, and the turn is saved. Change the agent back if you want, then resume.',
    });
  });
});
