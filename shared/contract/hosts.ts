/** Manage other computers that run Holdfast. */
import { z } from 'zod';
import { exactObject } from '../exact-object';
import { id } from '../types/base';
import { farAnswer, farOutcome, hostInbox } from '../types/far-asks';
import { hostHits, hostSessions } from '../types/far-lists';
import { hostStep } from '../types/far-step';
import { hostTranscript } from '../types/far-transcript';
import { CONFIRMED, QUERY, hash, nothing, type VerbSpec } from './base';
import { question } from './search';

const host = z.string().min(1).max(64);

export const HOST_VERBS = {
  'hosts.inbox': {
    ...QUERY,
    surface: 'window',
    input: () => nothing,
    output: exactObject(() => ({ hosts: z.array(hostInbox()).max(200) })),
    about: 'List what needs a decision on each connected host',
  },
  'hosts.sessions': {
    ...QUERY,
    surface: 'window',
    input: exactObject(() => ({ host })),
    output: () => hostSessions(),
    about:
      'Ask a host for its sessions, most recently used first; one question to a host at a time',
  },
  'hosts.transcript': {
    ...QUERY,
    surface: 'window',
    input: exactObject(() => ({
      host,
      sessionId: id,
      /** Entries before this one; absent: the newest part. */
      beforeSeq: id.optional(),
    })),
    output: () => hostTranscript(),
    about:
      'Ask a host for part of the conversation of a session, oldest first; a newer question ends an older one',
  },
  'hosts.step': {
    ...QUERY,
    surface: 'window',
    input: exactObject(() => ({ host, turnId: id, step: z.number().int().positive() })),
    output: () => hostStep(),
    about: 'Ask a host for one step of a turn, with the beginning of its input and output',
  },
  'hosts.search': {
    ...QUERY,
    surface: 'window',
    input: exactObject(() => ({ host, ...question })),
    output: () => hostHits(),
    about: 'Find words on a host, newest first; a newer search of the same host ends an older one',
  },
  'hosts.answer': {
    ...CONFIRMED,
    surface: 'window',
    input: exactObject(() => ({
      host,
      requestHash: hash,
      answer: farAnswer(),
    })),
    output: () => farOutcome(),
    about: 'Answer a decision of a host: the Holdfast there carries it out and checks the hash',
  },
} as const satisfies Record<string, VerbSpec>;
