/** Sessions, their wake-ups, and terminal conversations. */
import { z } from 'zod';
import { exactObject } from '../exact-object';
import { ACTIVATION_KINDS } from '../activations';
import { sessionEvent, sessionView } from '../types';
import { conversation, conversationRef, watchedTerminal } from '../types/terminals';
import { activationEvent, sessionStatus } from '../types/work';
import { COMMAND, QUERY, done, turnId, nothing, sessionRef, limit, type VerbSpec } from './base';

export const SESSION_VERBS = {
  'sessions.list': {
    ...QUERY,
    input: exactObject(() => ({
      limit: limit.optional(),
      /** The last session of the previous page: those used earlier follow. */
      before: z
        .strictObject({
          lastEventAtMs: z.number().int().nonnegative(),
          id: z.number().int().positive(),
        })
        .optional(),
      /** Only archived sessions, which are otherwise left out. */
      archived: z.boolean().optional(),
    })),
    output: exactObject(() => ({ sessions: z.array(sessionView), hasMore: z.boolean() })),
    about: 'List sessions, pinned first, then most recently used first',
  },
  'session.create': {
    ...COMMAND,
    input: exactObject(() => ({
      key: sessionRef.optional(),
      title: z.string().min(1).max(200).optional(),
      agent: z.string().min(1).max(64),
      /** The parent session: its event log reports this one. */
      parent: sessionRef.optional(),
    })),
    output: () => sessionView,
    about: 'Start a session with an agent',
  },
  'session.edit': {
    ...COMMAND,
    /** Absent fields stay as they are. */
    input: exactObject(() => ({
      session: sessionRef,
      title: z.string().trim().min(1).max(200).optional(),
      isPinned: z.boolean().optional(),
      isArchived: z.boolean().optional(),
    })),
    output: () => sessionView,
    about: 'Rename, pin or archive a session',
  },
  'session.delete': {
    ...COMMAND,
    input: exactObject(() => ({ session: sessionRef })),
    output: () => done,
    about: 'Delete a session and erase its prompts, answers and steps',
  },
  'session.fork': {
    ...COMMAND,
    input: exactObject(() => ({ session: sessionRef, turnId })),
    output: () => sessionView,
    about: 'Start a session that continues after a completed turn of another one',
  },
  'session.status': {
    ...QUERY,
    input: exactObject(() => ({ session: sessionRef })),
    output: () => sessionStatus,
    about: 'One session: its status, what it is waiting for, its attempts',
  },
  'activations.events': {
    ...QUERY,
    input: exactObject(() => ({
      session: sessionRef.optional(),
      claimId: z.string().min(1).max(40).optional(),
      kinds: z.array(z.enum(ACTIVATION_KINDS)).max(ACTIVATION_KINDS.length).optional(),
      /** Only entries after this one: the `seq` of the last one seen. */
      afterSeq: z.number().int().nonnegative().optional(),
      limit: limit.optional(),
    })),
    output: exactObject(() => ({ events: z.array(activationEvent) })),
    about: 'List activations, oldest first: the latest, or those after a given one',
  },
  'session.events': {
    ...QUERY,
    input: exactObject(() => ({
      session: sessionRef,
      limit: limit.optional(),
      beforeSeq: z.number().int().positive().optional(),
      /** False: without spans and status changes, which a chat does not show. */
      life: z.boolean().optional(),
    })),
    output: exactObject(() => ({ events: z.array(sessionEvent), hasMore: z.boolean() })),
    about: 'The event log of a session, oldest first',
  },
  'session.interrupt': {
    ...COMMAND,
    input: exactObject(() => ({
      session: sessionRef,
      note: z.string().min(1).max(10_000).optional(),
    })),
    output: exactObject(() => ({ cancelled: z.array(turnId) })),
    about: 'Interrupt the turn of a session; with a note, continue with that',
  },
  'session.defineOutcome': {
    ...COMMAND,
    surface: 'control',
    input: exactObject(() => ({ session: sessionRef, outcome: z.string().min(1).max(10_000) })),
    output: exactObject(() => ({ turnId })),
    about: 'Set the session goal: its agent works on it now and reads it in later turns',
  },
  'session.adopt': {
    ...COMMAND,
    input: exactObject(() => ({
      agent: z.string().min(1).max(64),
      /** The agent's own ID of the conversation; without it, lists them. */
      ref: conversationRef.optional(),
      key: sessionRef.optional(),
    })),
    output: exactObject(() => ({
      conversations: z.array(conversation).max(200),
      /** Why the list is empty, or why they cannot be listed. */
      note: z.string().max(1000),
      /** The session whose next turn continues it. */
      session: sessionView.optional(),
    })),
    about: 'Continue a terminal conversation in Holdfast',
  },
  'session.handBack': {
    ...COMMAND,
    input: exactObject(() => ({ session: sessionRef })),
    output: exactObject(() => ({
      session: z.string().max(200),
      agent: z.string().max(64),
      ref: z.string().max(200),
      folder: z.string().max(4096),
      /** Opens it in a terminal. */
      command: z.string().max(20_000),
    })),
    about: "Move a session's conversation to a terminal; its turns wait until it is continued here",
  },
  'watch.list': {
    ...QUERY,
    input: () => nothing,
    output: exactObject(() => ({ terminals: z.array(watchedTerminal).max(100) })),
    about: 'List watched terminals and which conversations can continue, newest first',
  },
} as const satisfies Record<string, VerbSpec>;
