/**
 * Questions to another Holdfast over the lasting connection, and the equivalent command for an
 * older version. All of them only read. Pure. HO-02
 */
import { z } from 'zod';
import { question as words } from './contract/search';
import { once } from './once';
import { id } from './types/base';
import { MAX_FAR_HITS, MAX_FAR_SESSIONS } from './types/far-lists';

export const hostQuestion = once(() =>
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('sessions') }),
    z.object({
      kind: z.literal('transcript'),
      sessionId: id,
      /** What was before this entry; absent: the newest part. */
      beforeSeq: id.optional(),
    }),
    z.object({ kind: z.literal('step'), turnId: id, step: z.number().int().positive() }),
    z.object({ kind: z.literal('search'), ...words }),
  ]),
);
export type HostQuestion = z.infer<ReturnType<typeof hostQuestion>>;

/** The subject of a question: a newer question of the same subject ends an older one. */
export function subjectOf(question: HostQuestion): string {
  switch (question.kind) {
    case 'sessions':
    case 'search':
      return question.kind;
    case 'transcript':
      // A refresh of the shown part and a request for older entries may run at the same time:
      // neither ends the other.
      return question.beforeSeq === undefined ? 'transcript' : 'transcript before';
    case 'step':
      // Several can be open at the same time.
      return `step ${String(question.turnId)} ${String(question.step)}`;
  }
}

/**
 * The command there. Each value is one word with its option, so none of them can be an option
 * itself.
 */
export function questionCommand(question: HostQuestion): readonly string[] {
  switch (question.kind) {
    case 'sessions':
      return ['sessions', 'list', '--limit', String(MAX_FAR_SESSIONS), '--json'];
    case 'transcript': {
      const { sessionId, beforeSeq } = question;
      const before = beforeSeq === undefined ? [] : [`--before=${String(beforeSeq)}`];
      return ['hosts', 'transcript', String(sessionId), ...before, '--json'];
    }
    case 'step':
      return ['turns', 'step', String(question.turnId), String(question.step), '--json'];
    case 'search':
      return searchCommand(question);
  }
}

function searchCommand({
  words: wanted,
  agent,
  session,
  state,
  tool,
  file,
  minCostUsd,
  sinceMs,
  untilMs,
}: Extract<HostQuestion, { kind: 'search' }>): readonly string[] {
  const when = (atMs: number | undefined) =>
    atMs === undefined ? undefined : new Date(atMs).toISOString();
  const options = {
    agent,
    session,
    state,
    tool,
    file,
    'min-cost': minCostUsd,
    since: when(sinceMs),
    until: when(untilMs),
  };
  return [
    'search',
    '--json',
    `--limit=${String(MAX_FAR_HITS)}`,
    ...Object.entries(options).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}=${String(value)}`],
    ),
    '--',
    wanted,
  ];
}
