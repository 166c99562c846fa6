/** Manage other computers that run Holdfast. */
import { z } from 'zod';
import { once } from '../once';
import { id } from '../types/base';
import { farAnswer, farOutcome, hostInbox } from '../types/far-asks';
import { hostHits, hostSessions } from '../types/far-lists';
import { hostStep } from '../types/far-step';
import { hostTranscript } from '../types/far-transcript';
import { hash, nothing, type VerbSpec } from './base';
import { question } from './search';

const host = z.string().min(1).max(64);

export const HOST_VERBS = {
  'hosts.inbox': {
    kind: 'query',
    danger: 'none',
    surface: 'window',
    input: () => nothing,
    output: once(() => z.strictObject({ hosts: z.array(hostInbox()).max(200) })),
    about: 'List what needs a decision on each connected host',
  },
  'hosts.sessions': {
    kind: 'query',
    danger: 'none',
    surface: 'window',
    input: once(() => z.strictObject({ host })),
    output: () => hostSessions(),
    about:
      'Ask a host for its sessions, most recently used first; one question to a host at a time',
  },
  'hosts.transcript': {
    kind: 'query',
    danger: 'none',
    surface: 'window',
    input: once(() =>
      z.strictObject({
        host,
        sessionId: id,
        /** Entries before this one; absent: the newest part. */
        beforeSeq: id.optional(),
      }),
    ),
    output: () => hostTranscript(),
    about:
      'Ask a host for part of the conversation of a session, oldest first; a newer question ends an older one',
  },
  'hosts.step': {
    kind: 'query',
    danger: 'none',
    surface: 'window',
    input: once(() => z.strictObject({ host, turnId: id, step: z.number().int().positive() })),
    output: () => hostStep(),
    about: 'Ask a host for one step of a turn, with the beginning of its input and output',
  },
  'hosts.search': {
    kind: 'query',
    danger: 'none',
    surface: 'window',
    input: once(() => z.strictObject({ host, ...question })),
    output: () => hostHits(),
    about: 'Find words on a host, newest first; a newer search of the same host ends an older one',
  },
  'hosts.answer': {
    kind: 'command',
    danger: 'confirm',
    surface: 'window',
    input: once(() =>
      z.strictObject({
        host,
        requestHash: hash,
        answer: farAnswer(),
      }),
    ),
    output: () => farOutcome(),
    about: 'Answer a decision of a host: the Holdfast there carries it out and checks the hash',
  },
} as const satisfies Record<string, VerbSpec>;
