/** Updates of Holdfast itself. */
import { z } from 'zod';
import { exactObject } from '../exact-object';
import { updateStatus } from '../types/updates';
import { COMMAND, QUERY, nothing, type VerbSpec } from './base';

export const UPDATE_VERBS = {
  'updates.status': {
    ...QUERY,
    input: () => nothing,
    output: () => updateStatus(),
    about:
      'Version of Holdfast, whether a newer one is available, and the result of the last update',
  },
  'updates.check': {
    ...COMMAND,
    input: () => nothing,
    output: () => updateStatus(),
    about: 'Read the signed list of versions now',
  },
  'updates.install': {
    ...COMMAND,
    input: exactObject(() => ({
      /** `idle`: when no turn runs. `now`: when the running steps are done. */
      when: z.enum(['idle', 'now']),
      /** The version that the user was shown: another one is refused. */
      version: z.string().min(1).max(40),
    })),
    output: () => updateStatus(),
    about: 'Download and verify a newer version if needed, then install it and restart',
  },
  'updates.cancel': {
    ...COMMAND,
    input: () => nothing,
    output: () => updateStatus(),
    about: 'Do not install the pending update for now',
  },
} as const satisfies Record<string, VerbSpec>;
