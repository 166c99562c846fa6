/** An error for the user: a sentence, its details, the next step. */
import { isErrorCode } from '../../shared/error-codes';
import { errorMessage } from '../../shared/error-messages';
import { t, type MessageKey } from '../../shared/messages';
import { sentence } from '../../shared/sentence';
import { table } from '../../shared/table';

interface TroubleText {
  readonly sentence: string;
  /** The message of the error itself, if the sentence is a general one. */
  readonly detail?: string;
  readonly next: string;
}

/**
 * An expected error has its own sentence. An unknown one (`INTERNAL`, or a code from another
 * version) has a technical message, so the catalogue's sentence comes first. The next step is
 * always shown.
 */
export function troubleText(trouble: {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}): TroubleText {
  const known = errorMessage(trouble.code);
  const next = inWindow(trouble.hint ?? known.next);
  const isStrange = !isErrorCode(trouble.code) || trouble.code === 'INTERNAL';
  if (trouble.message.trim() === '') return { sentence: known.sentence, next };
  return isStrange
    ? { sentence: known.sentence, detail: sentence(trouble.message.trim()), next }
    : { sentence: sentence(trouble.message.trim()), next };
}

/** Where the window shows what a command lists. */
const PLACES = table<MessageKey>({
  agents: 'nav.agents',
  approvals: 'nav.decisions',
  breakers: 'nav.outages',
  budgets: 'nav.usage',
  channels: 'trouble.place.channels',
  config: 'nav.settings',
  dlq: 'trouble.place.delivery',
  drafts: 'trouble.place.drafts',
  events: 'trouble.place.delivery',
  gateway: 'trouble.place.data',
  hosts: 'trouble.place.general',
  inbox: 'nav.decisions',
  machines: 'nav.computers',
  mcp: 'nav.agents',
  outages: 'nav.outages',
  providers: 'trouble.place.providers',
  runs: 'runs.title',
  sessions: 'nav.sessions',
  share: 'nav.computers',
  skills: 'runs.title',
  tasks: 'nav.schedule',
  timers: 'nav.schedule',
  tools: 'nav.agents',
  turns: 'nav.sessions',
  update: 'trouble.place.updates',
});

const READS = String.raw`"?holdfast ([a-z]+)(?: [a-z]+)*? (?:list|show|status|queue|review)(?: \d+)?"?(?! --)`;
const WITH = new RegExp(`(?: with|:) ${READS}`, 'g');
const ALONE = new RegExp(READS, 'g');

/**
 * A hint names commands, which are right in a terminal. Here a command that only lists something is
 * the page that shows it; one that changes something stays, as it says more than a page. Pure.
 */
export function inWindow(hint: string): string {
  const placeOf = (command: string, group: string, asWords: (place: string) => string): string => {
    const place = PLACES[group];
    return place === undefined ? command : asWords(t(place as 'nav.agents'));
  };
  const text = hint
    .replace(/Look at "holdfast logs" for the details, and run "holdfast doctor"/, () =>
      t('trouble.log'),
    )
    .replace(/([Rr]un) "holdfast doctor(?: --full)?"/g, (_all, run: string) =>
      run === 'Run' ? t('trouble.checks') : t('trouble.checksToo'),
    )
    .replace(WITH, (all, group: string) =>
      placeOf(all, group, (place) => ` ${t('trouble.under', { name: place })}`),
    )
    .replace(ALONE, (all, group: string) => placeOf(all, group, (place) => place));
  return sentence(text);
}
