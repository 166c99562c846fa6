/**
 * Sessions of other computers in the session list: each with its host, or why they are unknown.
 * Pure. HO-02
 */
import { t } from '../../shared/messages';
import { quoted } from '../../shared/shell-quoted';
import type { FarSession, HostSessions, HostView, SessionView } from '../../shared/types';
import type { Trouble } from '../bridge';
import { oneLine } from '../parts/inert-view';
import { keyTitle } from '../parts/title-view';
import { fitSessions, type SessionFilter } from '../session/turn-list-view';
import { asSentence, hostNotes } from './host-notes';

/** Known facts of one host; `told` undefined: it has not answered yet. */
export interface FarSessions {
  readonly host: HostView;
  readonly told: HostSessions | undefined;
  readonly trouble: Trouble | undefined;
}

/** One row of the list. */
export type SessionRow =
  | { readonly kind: 'near'; readonly session: SessionView }
  | { readonly kind: 'far'; readonly host: string; readonly session: FarSession };

type FarRow = Extract<SessionRow, { kind: 'far' }>;

const usedAt = ({ session }: SessionRow): number => session.lastEventAtMs;

/**
 * Sessions of connected hosts that match the filter and contain every word; the host's name counts
 * too.
 */
export function fitFar(
  far: readonly FarSessions[],
  filter: SessionFilter,
  search = '',
): readonly FarRow[] {
  // Archived ones are not requested.
  if (filter === 'archived') return [];
  return far.flatMap(({ host, told }) => {
    if (host.kind !== 'connected' || told?.kind !== 'told') return [];
    const name = host.name.toLowerCase();
    const rest = search
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => !name.includes(word))
      .join(' ');
    return fitSessions(told.sessions, filter, rest).map((session): FarRow => ({
      kind: 'far',
      host: host.name,
      session,
    }));
  });
}

/**
 * One list: this computer's pinned ones first, then all by last use. `isPartial`: this computer has
 * older ones that are not loaded, so a remote one older than the loaded ones would be in the wrong
 * place.
 */
export function joinSessions(
  near: readonly SessionView[],
  far: readonly FarRow[],
  isPartial: boolean,
): readonly SessionRow[] {
  const rows = near.map((session): SessionRow => ({ kind: 'near', session }));
  const pinned = rows.filter((row) => row.kind === 'near' && row.session.isPinned === true);
  const others = rows.slice(pinned.length);
  const oldest = others.at(-1)?.session.lastEventAtMs;
  const inPlace =
    isPartial && oldest !== undefined
      ? far.filter(({ session }) => session.lastEventAtMs >= oldest)
      : far;
  return [...pinned, ...[...others, ...inPlace].toSorted((a, b) => usedAt(b) - usedAt(a))];
}

/** Why parts of a host are missing in the list, in sentences; empty if nothing is missing. */
export function farSessionNotes(
  { host, told, trouble }: FarSessions,
  isArchived: boolean,
): readonly string[] {
  const name = oneLine(host.name, 64);
  const notes = hostNotes(host);
  if (host.kind !== 'connected') return [...notes, t('sessions.far.unknown', { name })];
  if (isArchived) return [];
  if (trouble !== undefined)
    return [
      ...notes,
      asSentence(oneLine(trouble.message, 300)),
      t('sessions.far.unknown', { name }),
    ];
  if (told === undefined) return [...notes, t('sessions.far.asking', { name })];
  if (told.kind === 'untold')
    return [...notes, asSentence(oneLine(told.why, 500)), t('sessions.far.unknown', { name })];
  const { sessions, hidden, hasMore } = told;
  return [
    ...notes,
    ...(sessions.length === 0 && hidden === 0 ? [t('sessions.far.none', { name })] : []),
    ...(hidden > 0 ? [t('sessions.far.hidden', { count: hidden, name })] : []),
    ...(hasMore ? [t('sessions.far.more', { count: sessions.length, name })] : []),
  ];
}

/** Identifies a session there: its key, or its ID if the key is not a plain name. */
const refOf = ({ id, key }: Pick<FarSession, 'id' | 'key'>): string =>
  /^[A-Za-z][\w.-]*$/.test(key) ? key : String(id);

/** Commands for it there; each can be copied. */
export const farSessionCommands = (
  host: string,
  session: Pick<FarSession, 'id' | 'key' | 'status'>,
): readonly { readonly what: 'read' | 'send' | 'stop'; readonly command: string }[] => {
  const [ref, where] = [refOf(session), `--host ${quoted(host)}`];
  return [
    { what: 'read', command: `holdfast sessions events ${ref} --follow ${where}` },
    { what: 'send', command: `holdfast send "…" --session ${ref} ${where}` },
    ...(session.status === 'running'
      ? [{ what: 'stop' as const, command: `holdfast sessions interrupt ${ref} ${where}` }]
      : []),
  ];
};

/** Its title, or its key if it has no title. */
export const farSessionTitle = ({ title, key }: FarSession): string =>
  title === '' || title === key ? keyTitle(key) : oneLine(title, 80);
