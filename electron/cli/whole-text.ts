import type { VerbInput, VerbOutput } from '../../shared/contract';
import type { Reach } from './reach';

/** A text of a turn from its first to its last character, page by page. */
export async function wholeText(
  engine: Reach,
  wanted: Omit<VerbInput<'turns.text'>, 'fromChar'>,
): Promise<string> {
  const pages: string[] = [];
  for (let fromChar: number | undefined = 0; fromChar !== undefined;) {
    const page: VerbOutput<'turns.text'> = await engine.call('turns.text', { ...wanted, fromChar });
    pages.push(page.text);
    fromChar = page.nextChar;
  }
  return pages.join('');
}

type ShownTurn = VerbOutput<'turns.show'>;

/** The turn with its whole answer, where it has one. */
export async function withWholeAnswer(engine: Reach, shown: ShownTurn): Promise<ShownTurn> {
  if (shown.isAnswerTruncated !== true) return shown;
  const answer = await wholeText(engine, { turnId: shown.turn.id, part: 'answer' });
  return { ...shown, answer, isAnswerTruncated: false };
}

/** The turn with its whole prompt. */
export async function withWholePrompt(engine: Reach, shown: ShownTurn): Promise<ShownTurn> {
  if (!shown.isPromptTruncated) return shown;
  const prompt = await wholeText(engine, { turnId: shown.turn.id, part: 'prompt' });
  return { ...shown, prompt, isPromptTruncated: false };
}
