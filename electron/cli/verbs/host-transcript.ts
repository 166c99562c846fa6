/**
 * `holdfast hosts transcript`: part of a conversation of this computer, for the Holdfast of another one, over the `ssh`
 * that it started. It reads only. HO-02
 */
import type { Command } from 'commander';
import { tellTranscript } from '../../../shared/far-transcript';
import type { HostQuestion } from '../../../shared/host-question';
import { MAX_FAR_EVENTS } from '../../../shared/types/far-transcript';
import type { SessionView } from '../../../shared/types';
import { HoldfastError } from '../../engine/kernel/errors';
import type { Program } from '../command';
import { asks, groupOf, optional, where, wholeNumber } from '../command';
import type { Reach } from '../reach';

/** Added to `holdfast hosts`. */
export function addHostTranscript(root: Command, program: Program): void {
  const hosts = groupOf(root, 'hosts');
  asks(
    program,
    hosts
      .command('transcript', { hidden: true })
      .description('Send part of a conversation to Holdfast on another computer')
      .argument('<session>', 'Session ID', wholeNumber)
      .option('--before <seq>', 'Only entries before this one', wholeNumber),
    'read',
    async (engine, run, id) => {
      const before = where('beforeSeq', optional<number>(run, 'before'));
      const value = await transcriptOf(engine, { sessionId: Number(id), ...before });
      return { value, text: 'Told.' };
    },
  );
}

/** Part of a conversation of this computer. */
export async function transcriptOf(
  engine: Reach,
  { sessionId, beforeSeq }: Omit<Extract<HostQuestion, { kind: 'transcript' }>, 'kind'>,
): Promise<ReturnType<typeof tellTranscript>> {
  const session = await sessionOf(engine, sessionId);
  const page = await engine.call('session.events', {
    session: session.key,
    limit: MAX_FAR_EVENTS,
    ...where('beforeSeq', beforeSeq),
    life: false,
  });
  return tellTranscript(session, page);
}

/** Only by its ID: another session may have this number as its name, and would be found first. */
async function sessionOf(engine: Reach, id: number): Promise<SessionView> {
  const { session } = await engine.call('session.status', { session: String(id) });
  if (session.id === id) return session;
  const { sessions } = await engine.call('sessions.list', { limit: 1000 });
  const meant = sessions.find((one) => one.id === id);
  if (meant !== undefined) return meant;
  throw new HoldfastError('SESSION_UNKNOWN', `There is no session ${String(id)}.`, {
    hint: 'Nothing was changed.',
  });
}
