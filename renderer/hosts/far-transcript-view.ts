/** The part of a conversation of another computer that was read, and what is missing of it. Pure. HO-02 */
import { t } from '../../shared/messages';
import type { HostTranscript, HostView } from '../../shared/types';
import type { Trouble } from '../bridge';
import { oneLine } from '../parts/inert-view';
import { holdNewest, joinPages } from '../session/session-rows';
import { asSentence, hostNotes } from './host-notes';

type ToldTranscript = Extract<HostTranscript, { kind: 'told' }>;

/** What was read, without a gap. */
export interface ReadTranscript extends Omit<ToldTranscript, 'kind'> {
  /** Entries before the newest part that this version does not understand. */
  readonly hiddenBefore: number;
}

/** Takes the newest part. If it does not touch what was read, that is dropped: a gap would not show. */
export function takeNewest(
  before: ReadTranscript | undefined,
  { kind: _, ...told }: ToldTranscript,
): ReadTranscript {
  if (before === undefined) return { ...told, hiddenBefore: 0 };
  const page = { events: told.events, hasMore: false };
  const joined = holdNewest({ events: before.events, hasMore: false }, page);
  if (joined === page) return { ...told, hiddenBefore: 0 };
  const { nextBefore: __, ...newest } = told;
  return {
    ...newest,
    events: [...(joined.events as ReadTranscript['events'])],
    hiddenBefore: before.hiddenBefore,
    ...placeOf(before),
  };
}

/** Puts the part before in front of what was read. */
export function takeEarlier(read: ReadTranscript, told: ToldTranscript): ReadTranscript {
  const { nextBefore: _, ...rest } = read;
  return {
    ...rest,
    events: [...(joinPages(told.events, read.events) as ReadTranscript['events'])],
    hiddenBefore: read.hiddenBefore + told.hidden,
    ...placeOf(told),
  };
}

const placeOf = ({ nextBefore }: Pick<ReadTranscript, 'nextBefore'>) =>
  nextBefore === undefined ? {} : { nextBefore };

/** Why the conversation, or the newest of it, is not known, in sentences; none: what is shown is what is there. */
export function transcriptNotes({
  host,
  told,
  trouble,
  read,
}: {
  readonly host: HostView;
  /** The newest answer; undefined: none yet. */
  readonly told: HostTranscript | undefined;
  readonly trouble: Trouble | undefined;
  readonly read: ReadTranscript | undefined;
}): readonly string[] {
  const name = oneLine(host.name, 64);
  const notes = hostNotes(host);
  const without = t(read === undefined ? 'chat.far.unknown' : 'chat.far.before', { name });
  if (host.kind !== 'connected') return [...notes, without];
  if (trouble !== undefined) return [...notes, asSentence(oneLine(trouble.message, 300)), without];
  if (told?.kind === 'untold') return [...notes, asSentence(oneLine(told.why, 500)), without];
  if (told === undefined && read === undefined) return [...notes, t('chat.far.asking', { name })];
  const hidden = read === undefined ? 0 : read.hidden + read.hiddenBefore;
  return hidden === 0 ? notes : [...notes, t('chat.far.hidden', { count: hidden })];
}
