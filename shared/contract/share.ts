/** Work that several computers share. */
import { z } from 'zod';
import { once } from '../once';
import { exactObject } from '../exact-object';
import { computerView, hostOutlook, shareStatus, turnChanges, waitingView } from '../types/share';
import {
  COMMAND,
  QUERY,
  done,
  MAX_PROMPT_CHARS,
  nothing,
  sessionRef,
  turnId,
  type VerbSpec,
} from './base';

const computer = z.string().min(1).max(64);

export const SHARE_VERBS = {
  'share.status': {
    ...QUERY,
    input: () => nothing,
    output: () => shareStatus,
    about: 'Whether this computer shares work, and its status in the shared store',
  },
  'machines.list': {
    ...QUERY,
    input: () => nothing,
    output: exactObject(() => ({
      machines: z.array(computerView).max(1_000),
      /** Turns that no computer has yet, and why. */
      waiting: z.array(waitingView).max(200),
    })),
    about: 'List the computers that share work, and the turns waiting in the shared queue',
  },
  'share.send': {
    ...COMMAND,
    surface: 'control',
    input: exactObject(() => ({
      text: z.string().min(1).max(MAX_PROMPT_CHARS),
      session: sessionRef.optional(),
      agent: z.string().min(1).max(64).optional(),
      priority: z.enum(['high', 'normal', 'low']).optional(),
      /** Capabilities that the computer must offer, such as `label:gpu`. */
      needs: z.array(z.string().min(1).max(100)).max(20).optional(),
      /** Only on this computer. */
      here: z.boolean().optional(),
      /** On any computer with the git repository of the agent's folder, in its current files. */
      repository: z.boolean().optional(),
      /** The same ID means the same turn, whichever computer sends it. */
      messageId: z.string().min(1).max(200).optional(),
    })),
    output: exactObject(() => ({
      turnId,
      sessionId: z.number().int().positive(),
      sessionKey: z.string().max(200),
    })),
    about: 'Send a message to the shared queue: it is in the shared store when this returns',
  },
  'share.files': {
    ...COMMAND,
    input: exactObject(() => ({
      turnId,
      /** Absent: only shows. `apply` writes into the agent's folder on this computer. */
      act: z.enum(['show', 'patch', 'apply']).optional(),
      /** A new file, as a full path. Not for windows: those have `app.savePatch`. */
      patchFile: z.string().min(1).max(4_096).optional(),
      /** For a patch: replaces a file of this name, as confirmed in the system's dialog. */
      mayReplace: z.literal(true).optional(),
    })),
    output: once(() => turnChanges),
    about:
      'Show what a shared turn changed in the files that moved with it, write it as a patch, or apply it',
  },
  'share.outlook': {
    ...QUERY,
    surface: 'window',
    input: () => nothing,
    output: () => hostOutlook,
    about: 'Whether Holdfast can run its own PostgreSQL for the shared store on this computer',
  },
  'share.host': {
    ...COMMAND,
    input: exactObject(() => ({
      /**
       * Address of a database with a user that may create roles in it; absent: our own
       * PostgreSQL.
       */
      address: z.string().min(1).max(1_000).optional(),
      /** Address of our own server for other computers, as host or host:port; absent: none. */
      listen: z.string().min(1).max(300).optional(),
      /** Whether our own may be fetched if none is installed. */
      fetch: z.boolean().optional(),
    })),
    output: () => shareStatus,
    about:
      'Set up the shared store in a PostgreSQL database, or in one that Holdfast runs, and join it',
  },
  'share.invite': {
    ...COMMAND,
    input: exactObject(() => ({
      name: computer,
      forMs: z.number().int().min(60_000).max(604_800_000).optional(),
    })),
    output: exactObject(() => ({ invitation: z.string().max(20_000), expiresAtMs: z.number() })),
    about: 'Invite one more computer: one line, valid for one data directory',
  },
  'share.join': {
    ...COMMAND,
    input: exactObject(() => ({ invitation: z.string().min(1).max(20_000) })),
    output: () => shareStatus,
    about: 'Join a shared store by an invitation',
  },
  'share.leave': {
    ...COMMAND,
    input: () => nothing,
    output: () => shareStatus,
    about: "Return this computer's shared turns to the queue and stop sharing work",
  },
  'share.admit': {
    ...COMMAND,
    input: exactObject(() => ({ name: computer })),
    output: () => done,
    about: 'Admit a computer that used an invitation',
  },
  'share.revoke': {
    ...COMMAND,
    surface: 'control',
    input: exactObject(() => ({ name: computer })),
    output: () => done,
    about: 'Revoke the access of a computer immediately; its turns go to the others',
  },
  'share.acceptLoss': {
    ...COMMAND,
    surface: 'control',
    input: () => nothing,
    output: () => done,
    about: 'Continue with a shared store that has lost data',
  },
  'share.release': {
    ...COMMAND,
    input: exactObject(() => ({ id: z.uuid() })),
    output: () => done,
    about: 'Let any computer run a shared turn that was for one that is gone',
  },
} as const satisfies Record<string, VerbSpec>;
