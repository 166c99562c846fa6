import type { CommandAnswer, Intake } from '../../ports/channel';

/**
 * What a command of a chat answers; undefined for a message to an agent. A chat that keeps `/` for
 * itself takes `!`.
 */
export const chatCommand = async (
  intake: Pick<Intake, 'command'>,
  person: string,
  text: string | undefined,
): Promise<CommandAnswer | undefined> =>
  text !== undefined && /^[/!][a-z]/.test(text)
    ? intake.command({ person, text: `/${text.slice(1)}` })
    : undefined;
