/** Updates of Holdfast itself. */
import { z } from 'zod';
import { urlProblem } from '../safe-url';
import { row } from './base';

/** What Holdfast does about new versions, from nothing to everything. */
export const UPDATE_MODES = ['off', 'check', 'download', 'install'] as const;
export type UpdateMode = (typeof UPDATE_MODES)[number];

/** 32 bytes in base64: a raw Ed25519 public key. */
const PUBLIC_KEY = /^$|^[A-Za-z0-9+/]{43}=$/;

export const UPDATE_SETTINGS = {
  'updates.mode': row(
    () => z.enum(UPDATE_MODES),
    'off',
    'hot',
    'New versions of Holdfast: off (nothing is requested), check (once a day), download (and verify), or install (also install when no turn runs)',
  ),
  'updates.feed': row(
    () =>
      z
        .string()
        .max(500)
        .superRefine((value, context) => {
          const problem = value === '' ? undefined : urlProblem(value);
          if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
        }),
    '',
    'hot',
    'Folder on a web server with the signed list of the newest version, such as https://example.com/holdfast/',
  ),
  'updates.public_key': row(
    () => z.string().regex(PUBLIC_KEY, 'an Ed25519 public key: 32 bytes in base64'),
    '',
    'hot',
    'Ed25519 public key that the list of versions must be signed with, in base64',
  ),
} as const;
