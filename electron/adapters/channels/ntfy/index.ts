import { createHash } from 'node:crypto';
import type { Channel, Delivery, Intake, QuestionMessage } from '../../../ports/channel';
import type { ChannelDeps, CreateChannel } from '../channel-deps';
import { refused } from '../channel-errors';
import { createListening } from '../listening';
import { deliverPieces } from '../deliver-pieces';
import { clipped, utf8Bytes, withRepeatNote } from '../pieces';
import { publish, type NtfyAction } from './publish';
import { readReplies, type Reply } from './replies';
import { toLook } from '../signed-answers';
import { NTFY_URL } from '../../../../shared/settings/channel-kinds/ntfy';

type Deps = ChannelDeps<'ntfy'>;

/** What a message of ntfy holds, in bytes, with room for what a mark of a cut takes. */
const MAX_BYTES = 3_800;
/** Actions of one message. */
const MAX_ACTIONS = 3;

/**
 * Topics of an ntfy server. A question has actions that publish a signed answer to the reply topic,
 * which Holdfast reads. Messages there without our signature are ignored.
 */
export const createNtfy: CreateChannel<'ntfy'> = (deps) => {
  const { spec, name } = deps;
  const server = (spec.server ?? NTFY_URL).replace(/\/+$/, '');
  const place = { name, server, timeoutMs: deps.timeoutMs, token: tokenOf(deps) };

  const publishQuestion = async (
    ref: string,
    message: QuestionMessage & { readonly repeatNote?: string },
    signal: AbortSignal,
    page = 1,
  ): Promise<void> => {
    const words = withRepeatNote(message.text, message.repeatNote);
    const actions = await actionsOf(deps, server, message, page);
    await publish(
      place,
      {
        topic: spec.topic,
        title: 'Holdfast',
        message: clipped(words, MAX_BYTES, utf8Bytes),
        sequence_id: ref,
        priority: actions.length === 0 ? 2 : 4,
        ...(actions.length === 0 ? {} : { actions }),
      },
      signal,
    );
  };
  const channel: Pick<Channel, 'ask' | 'edit'> = {
    async ask({ id, ...message }, signal) {
      await publishQuestion(refOf(id), message, signal);
      return { peer: '', ref: refOf(id) };
    },
    edit: ({ ref }, message, signal) => publishQuestion(ref, message, signal),
  };
  /** The question's notification shows the result of the answer. */
  const takeReply = async (
    intake: Intake,
    { token, page }: Reply,
    signal: AbortSignal,
  ): Promise<'taken' | 'not_ours' | 'later'> => {
    const end = await intake.answer({ token });
    if (end.kind === 'refused') return 'not_ours';
    if (end.isNotTaken === true) return 'later';
    const { message, note, id, isOpen } = end;
    // A separate message reports what decided it.
    const shown = message ?? (isOpen && note !== '' ? { text: note, buttons: [] } : undefined);
    if (shown !== undefined)
      await publishQuestion(
        message === undefined ? `${refOf(id)}-note` : refOf(id),
        shown,
        signal,
        page,
      ).catch((error: unknown) => {
        deps.log.warn('channel.press_not_answered', { channel: name, error });
      });
    return 'taken';
  };
  const isAnswered = spec.reply_topic !== undefined && spec.decide !== undefined;
  const listening = createListening(deps, (intake, { signal, onUp }) =>
    readReplies(
      { ...place, topic: spec.reply_topic ?? '', offset: deps.offset },
      {
        signal,
        onUp,
        take: (reply) => takeReply(intake, reply, signal),
      },
    ),
  );
  return {
    deliver: (delivery: Delivery, signal) =>
      deliverPieces(delivery, { most: MAX_BYTES, sizeOf: utf8Bytes }, (message) =>
        publish(place, { topic: spec.topic, message }, signal),
      ),
    ...channel,
    ...(isAnswered ? listening : {}),
  };
};

/** The same for one question in every state: a later message replaces the earlier one. */
const refOf = (id: string): string =>
  `holdfast-${createHash('sha256').update(id).digest('hex').slice(0, 24)}`;

function tokenOf({ name, secret }: Deps): () => Promise<string | undefined> {
  return async () => {
    const token = await secret();
    if (token === undefined || /^[\x21-\x7e]{1,400}$/.test(token)) return token;
    throw refused(`${name}: that is not an access token.`);
  };
}

/** The buttons of a question as actions; those that do not fit are behind `More`. */
async function actionsOf(
  { spec, answers }: Deps,
  server: string,
  { buttons }: QuestionMessage,
  page: number,
): Promise<readonly NtfyAction[]> {
  const person = spec.decide?.people[0];
  const all = buttons.flat();
  const [first] = all;
  if (person === undefined || spec.reply_topic === undefined || first === undefined) return [];
  const url = `${server}/${spec.reply_topic}`;
  const action = async (label: string, data: string, more = ''): Promise<NtfyAction> => ({
    action: 'http',
    label,
    url,
    method: 'POST',
    body: `${await answers.sign(person, data)}${more}`,
    clear: true,
  });
  if (all.length <= MAX_ACTIONS)
    return Promise.all(all.map(({ label, data }) => action(label, data)));
  const perPage = MAX_ACTIONS - 1;
  const pages = Math.ceil(all.length / perPage);
  const shown = all.slice((page - 1) * perPage, page * perPage);
  const next = page >= pages ? 1 : page + 1;
  // The same question again, with its next buttons.
  const back = toLook(first.data);
  return Promise.all([
    ...(shown.length === 0 ? all.slice(0, perPage) : shown).map(({ label, data }) =>
      action(label, data),
    ),
    action('More', back, ` ${String(next)}`),
  ]);
}
