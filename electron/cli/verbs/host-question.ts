/**
 * What the Holdfast of another computer asks over the connection that it keeps to this one: answered as the command for
 * the same would, from the engine that runs or from disk, and bounded. It reads only. HO-02
 */
import { linkQuestion, MAX_ANSWER_CHARS } from '../../../shared/host-link';
import { hostQuestion, type HostQuestion } from '../../../shared/host-question';
import { MAX_FAR_HITS, MAX_FAR_SESSIONS } from '../../../shared/types/far-lists';
import { createFrameReader, MAX_FRAME_BYTES } from '../../control/frames';
import { HoldfastError, toHoldfastError } from '../../engine/kernel/errors';
import type { Run } from '../command';
import { withReach, type Reach } from '../reach';
import { safeJson } from '../render';
import { transcriptOf } from './host-transcript';

const ANSWER_MS = 10_000;

/**
 * Reads the host's lines; a line that is not a question is skipped. One answer at a time, in order.
 */
export function questionReader(run: Run, sayLine: (line: string) => void): (bytes: Buffer) => void {
  let last: Promise<void> = Promise.resolve();
  const reader = createFrameReader({
    maxFrameBytes: MAX_FRAME_BYTES,
    maxMessageBytes: MAX_FRAME_BYTES,
    onMessage: (message) => {
      const asked = linkQuestion().safeParse(message);
      if (!asked.success) return;
      const { question } = asked.data;
      last = last.then(async () => {
        sayLine(await answerLine(run, question.number, hostQuestion().safeParse(question).data));
      });
    },
    onFault: () => undefined,
  });
  return (bytes) => {
    reader.push(bytes);
  };
}

async function answerLine(
  run: Run,
  number: number,
  question: HostQuestion | undefined,
): Promise<string> {
  const value = await answerOf(run, question).catch((thrown: unknown) => {
    const { code, message } = toHoldfastError(thrown);
    return { error: { code, message } };
  });
  const line = safeJson({ answer: { number, value } }, 0);
  if (line.length <= MAX_ANSWER_CHARS) return line;
  const error = { code: 'INTERNAL', message: 'The response is too large to send.' };
  return safeJson({ answer: { number, value: { error } } }, 0);
}

async function answerOf(run: Run, question: HostQuestion | undefined): Promise<unknown> {
  // The same error as on the command line for what does not exist.
  if (question === undefined)
    throw new HoldfastError(
      'INPUT_INVALID',
      'This version of Holdfast does not support this request.',
    );
  return withReach('read', run, (engine) => ask(engine, question), true);
}

function ask(engine: Reach, question: HostQuestion): Promise<unknown> {
  switch (question.kind) {
    case 'sessions':
      return engine.call('sessions.list', { limit: MAX_FAR_SESSIONS }, ANSWER_MS);
    case 'transcript':
      return transcriptOf(engine, question);
    case 'step': {
      const { turnId, step } = question;
      return engine.call('turns.step', { turnId, step }, ANSWER_MS);
    }
    case 'search': {
      const { kind: _, ...words } = question;
      return engine.call('search.find', { ...words, limit: MAX_FAR_HITS }, ANSWER_MS);
    }
  }
}
