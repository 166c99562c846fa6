/** Updates as windows and commands show them. */
import { z } from 'zod';
import { exactObject } from '../exact-object';
import { UPDATE_MODES } from '../settings/updates';

/** How this Holdfast was installed: who replaces it. */
const INSTALL_KINDS = [
  'appimage',
  'deb',
  'server',
  'archive',
  'checkout',
  'mac',
  'windows',
] as const;
export type InstallKind = (typeof INSTALL_KINDS)[number];

const UPDATE_STATES = [
  /** Nothing newer is known. */
  'idle',
  /** A newer version is there, not downloaded. */
  'available',
  'downloading',
  /** Downloaded and verified. */
  'ready',
  /** Installs when no turn runs. */
  'waiting',
  /** Installs when the running steps are done. */
  'draining',
  'installing',
] as const;

/** How the last update ended. */
const UPDATE_OUTCOMES = ['installed', 'rolled_back', 'interrupted'] as const;

export const updateStatus = exactObject(() => ({
  mode: z.enum(UPDATE_MODES),
  state: z.enum(UPDATE_STATES),
  current: z.string().max(40),
  install: z.enum(INSTALL_KINDS),
  /** Holdfast can replace itself. */
  canInstall: z.boolean(),
  /** The newer version, verified by its signature. */
  version: z.string().max(40).optional(),
  checkedAtMs: z.number().optional(),
  /** Turns that an update waits for. */
  running: z.number().int().nonnegative(),
  /** Why the last check, download or installation did not work. */
  problem: z.string().max(500).optional(),
  /** What the user does where Holdfast does not replace itself. */
  advice: z.string().max(500).optional(),
  last: z
    .strictObject({
      from: z.string().max(40),
      to: z.string().max(40),
      outcome: z.enum(UPDATE_OUTCOMES),
      atMs: z.number(),
      reason: z.string().max(500).optional(),
    })
    .optional(),
}));
export type UpdateStatus = z.infer<ReturnType<typeof updateStatus>>;
