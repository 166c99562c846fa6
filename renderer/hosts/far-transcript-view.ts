/** The loaded part of a transcript from another computer, and what is missing of it. Pure. HO-02 */
import { t } from '../../shared/messages';
import type { HostTranscript, HostView } from '../../shared/types';
import type { Trouble } from '../bridge';
import { oneLine } from '../parts/inert-view';
import { holdNewest, joinPages } from '../session/session-rows';
import { asSentence, hostNotes } from './host-notes';

type ToldTranscript = Extract<HostTranscript, { kind: 'told' }>;

/** The loaded part, without a gap. */
export interface ReadTranscript extends Omit<ToldTranscript, 'kind'> {
  /** Entries before the newest part that this version cannot read. */
  readonly hiddenBefore: number;
}

/**
 * Adds the newest part. If it does not connect to the loaded part, that is dropped, because a gap
 * would not be visible.
 */
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

/** Adds the part before the loaded one. */
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

/**
 * Why the transcript, or its newest part, is unknown, in sentences; empty if the shown part is
 * complete.
 */
export function transcriptNotes({
  host,
  told,
  trouble,
  read,
}: {
  readonly host: HostView;
  /** The newest answer; undefined if there is none yet. */
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
