import type { CommandAnswer, Intake } from '../../ports/channel';

/**
 * The answer to a chat command; undefined for a message to an agent. A chat that reserves `/` uses
 * `!`.
 */
export const chatCommand = async (
  intake: Pick<Intake, 'command'>,
  person: string,
  text: string | undefined,
): Promise<CommandAnswer | undefined> =>
  text !== undefined && /^[/!][a-z]/.test(text)
    ? intake.command({ person, text: `/${text.slice(1)}` })
    : undefined;
