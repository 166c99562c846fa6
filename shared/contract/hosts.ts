/** Other computers with a Holdfast of their own. */
import { z } from 'zod';
import { once } from '../once';
import { hostInbox } from '../types/far-asks';
import { nothing, type VerbSpec } from './base';

export const HOST_VERBS = {
  'hosts.inbox': {
    kind: 'query',
    danger: 'none',
    surface: 'window',
    input: () => nothing,
    output: once(() => z.strictObject({ hosts: z.array(hostInbox()).max(200) })),
    about: 'List what waits for a decision on each host, as far as it is connected',
  },
} as const satisfies Record<string, VerbSpec>;
