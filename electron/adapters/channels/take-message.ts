import type { InboundEvent, Intake } from '../../ports/channel';
import type { Log } from '../../ports/log';

/** A message of a chat or a mailbox. */
interface Heard {
  /** The same for a message that comes again. */
  readonly id: string;
  /** Absent: it is no command of anybody. */
  readonly person: string | undefined;
  readonly event: InboundEvent;
  /** Answers who wrote it. */
  say(text: string): Promise<unknown>;
}
interface ChannelFacts {
  readonly name: string;
  readonly log: Log;
  readonly spec: { readonly agent?: string | undefined };
}

/** False: it could not be taken now, and comes again. Who wrote it is told if it never will be. */
export async function takeMessage(
  place: ChannelFacts,
  intake: Intake,
  heard: Heard,
): Promise<boolean> {
  const { id, event } = heard;
  const about = () => ({ from: event.peer, text: event.text });
  const end = await intake.each({ id, about }, async () => {
    await passOn(place, intake, heard);
    return true;
  });
  if (end.kind === 'set_aside') await tell(place, heard, end.note);
  return end.kind !== 'later';
}

export const isChatCommand = (text: string | undefined): text is string =>
  text !== undefined && /^[/!][a-z]/.test(text);

/** A command is answered; anything else goes to an agent. A chat that keeps `/` for itself takes `!`. */
export async function passOn(place: ChannelFacts, intake: Intake, heard: Heard): Promise<void> {
  const { id, person, event } = heard;
  const answer =
    person !== undefined && isChatCommand(event.text)
      ? await intake.command({ person, text: `/${event.text.slice(1)}` })
      : undefined;
  if (answer?.kind === 'say') {
    await tell(place, heard, answer.text);
    return;
  }
  await intake.offer({
    ...event,
    ...(answer === undefined ? {} : { session: answer.session, text: answer.text }),
    messageId: id,
    ...(place.spec.agent === undefined ? {} : { newAgent: place.spec.agent }),
  });
}

export async function tell({ name, log }: ChannelFacts, heard: Heard, text: string): Promise<void> {
  await heard.say(text).catch((error: unknown) => {
    log.warn('channel.command_not_answered', { channel: name, error });
  });
}
