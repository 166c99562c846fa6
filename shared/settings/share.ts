/** Work that several computers share. */
import { z } from 'zod';
import { duration, row } from './base';

/** The shared store, and what this computer is in it. */
export const SHARE_SETTINGS = {
  'share.address': row(
    () => z.string().max(500),
    '',
    'restart',
    'Shared store that this computer has joined, as host:port/database; empty: it shares no work',
  ),
  'share.name': row(
    () => z.string().max(64),
    '',
    'hot',
    'Name of this computer in the list of computers; empty is its host name',
  ),
  'share.labels': row(
    () =>
      z
        .array(
          z
            .string()
            .regex(/^[\w.:-]{1,64}$/u, 'use letters, digits, dots, colons, dashes and underscores'),
        )
        .max(50),
    [],
    'hot',
    'Labels that this computer offers to shared turns, such as "gpu"',
  ),
  'share.private_folders': row(
    () =>
      z
        .array(
          z
            .string()
            .max(4096)
            .regex(
              /^(?:\/+[^/]|[a-z]:[/\\]+[^/\\]|\\\\[^\\])/iu,
              'use the full path of a folder, such as "/srv/customers"',
            ),
        )
        .max(50),
    [],
    'restart',
    'Additional folders whose paths are not sent to the other computers, such as "/srv/customers"',
  ),
  'share.lease': row(
    duration,
    '30s',
    'restart',
    'Lease of a shared turn: after this time without contact, another computer may continue it',
  ),
  'share.max_wait': row(
    duration,
    '10m',
    'hot',
    'Maximum wait of a shared turn behind newer ones with a higher priority',
  ),
} as const;
