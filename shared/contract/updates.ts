/** Updates of Holdfast itself. */
import { z } from 'zod';
import { once } from '../once';
import { updateStatus } from '../types/updates';
import { nothing, type VerbSpec } from './base';

export const UPDATE_VERBS = {
  'updates.status': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: () => nothing,
    output: () => updateStatus(),
    about:
      'Version of Holdfast, whether a newer one is available, and the result of the last update',
  },
  'updates.check': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: () => nothing,
    output: () => updateStatus(),
    about: 'Read the signed list of versions now',
  },
  'updates.install': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: once(() =>
      z.strictObject({
        /** `idle`: when no turn runs. `now`: when the running steps are done. */
        when: z.enum(['idle', 'now']),
        /** The version that the user was shown: another one is refused. */
        version: z.string().min(1).max(40),
      }),
    ),
    output: () => updateStatus(),
    about: 'Download and verify a newer version if needed, then install it and restart',
  },
  'updates.cancel': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: () => nothing,
    output: () => updateStatus(),
    about: 'Do not install the pending update for now',
  },
} as const satisfies Record<string, VerbSpec>;
