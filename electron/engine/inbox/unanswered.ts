import type { Blobs } from '../../ports/blobs';
import type { JournalEntry } from '../../ports/journal/entries';
import type { Journal } from '../../ports/journal/journal';
import type { JournalReads } from '../../ports/journal/reads';
import { textOf } from '../journal/stored-text';
import { openItem } from './entries';

const MOST = 200;
const SHOWN_CHARS = 120;

/** At startup: notifies the user of each unanswered message once. */
export async function openUnanswered(deps: {
  readonly journal: Journal;
  readonly reads: Pick<JournalReads, 'unansweredSessions' | 'inbox'>;
  readonly blobs: Blobs;
}): Promise<void> {
  const sessions = deps.reads.unansweredSessions(MOST);
  if (sessions.length === 0) return;
  const told = [false, true]
    .flatMap((includeSettled) => deps.reads.inbox({ includeSettled, limit: 1000 }))
    .filter(({ item }) => item === 'unanswered');
  const entries: JournalEntry[] = [];
  for (const { sessionId, key, text, atMs } of sessions) {
    // A dismissed notice does not return with every start.
    const isTold = told.some(
      (item) =>
        item.sessionId === sessionId &&
        (item.settledAtMs === undefined || item.createdAtMs >= atMs),
    );
    if (isTold) continue;
    entries.push(
      openItem(deps.journal.allocate('inbox'), 'unanswered', {
        sessionId,
        title: `A message in ${key} has no answer`,
        detail: (await textOf(deps.blobs, text)).slice(0, SHOWN_CHARS),
      }),
    );
  }
  if (entries.length > 0) await deps.journal.commit(entries);
}
