import type { Channel, QuestionMessage } from '../../ports/channel';

/**
 * A channel that never receives a value in use as a secret: answers, check output and task names
 * may contain one, and a message cannot be recalled. Security: R1.
 */
export function withoutSecrets(channel: Channel, hide: (text: string) => Promise<string>): Channel {
  const hidden = async <Message extends QuestionMessage>(message: Message): Promise<Message> => ({
    ...message,
    text: await hide(message.text),
    buttons: await Promise.all(
      message.buttons.map((row) =>
        Promise.all(row.map(async ({ label, data }) => ({ label: await hide(label), data }))),
      ),
    ),
  });
  const ask = channel.ask?.bind(channel);
  const edit = channel.edit?.bind(channel);
  return {
    ...channel,
    deliver: async (delivery, signal) =>
      channel.deliver({ ...delivery, text: await hide(delivery.text) }, signal),
    ...(ask && { ask: async (question, signal) => ask(await hidden(question), signal) }),
    ...(edit && {
      edit: async (place, message, signal) => edit(place, await hidden(message), signal),
    }),
  };
}
