/** The actions of a session's menu, through the engine's operations. Each reports its result. */
import type { HoldfastBridge } from '../../shared/contract';
import { t } from '../../shared/messages';
import type { SessionEvent, SessionView, TurnSummary } from '../../shared/types';
import { callVerb } from '../bridge';
import type { Trouble } from '../bridge';
import { oneLine } from '../parts/inert-view';
import { goTo } from '../route';
import { sessionMarkdown } from './session-markdown';
import { sessionFileName, sessionLink } from './session-menu-view';
import type { SessionAct } from './session-menu-view';
import { sessionTitle } from './session-title';

/** What is said afterward; nothing where another page or window shows it. */
export type ActResult = { readonly said?: string; readonly trouble?: Trouble };

interface ActOn {
  readonly bridge: HoldfastBridge;
  readonly session: SessionView;
  readonly newest: TurnSummary | undefined;
}

const PAGE = 1000;
const NOTHING: ActResult = {};

/** Actions that need no confirmation. */
type DirectAct = Exclude<SessionAct, 'rename' | 'again' | 'delete'>;

export function runSessionAct(act: DirectAct, on: ActOn): Promise<ActResult> {
  const { bridge, session } = on;
  switch (act) {
    case 'pin':
    case 'unpin':
      return edit(on, { isPinned: act === 'pin' }, t(`session.said.${act}ned`));
    case 'archive':
    case 'unarchive':
      return edit(on, { isArchived: act === 'archive' }, t(`session.said.${act}d`));
    case 'fork':
      return fork(on);
    case 'copyLink':
      return copyText(sessionLink(session.id));
    case 'export':
      return exportSession(on);
    case 'files':
    case 'editor':
    case 'terminal':
      return said(
        callVerb(bridge, 'app.openWorkspace', { agent: session.agent, with: act }),
        () => NOTHING,
      );
  }
}

type Answered<T> = Promise<
  { readonly ok: true; readonly value: T } | ({ readonly ok: false } & Trouble)
>;

async function said<T>(answered: Answered<T>, then: (value: T) => ActResult): Promise<ActResult> {
  const answer = await answered;
  return answer.ok ? then(answer.value) : { trouble: answer };
}

export const edit = (
  { bridge, session }: Pick<ActOn, 'bridge' | 'session'>,
  change: { readonly title?: string; readonly isPinned?: boolean; readonly isArchived?: boolean },
  words: string,
): Promise<ActResult> =>
  said(callVerb(bridge, 'session.edit', { session: session.key, ...change }), () => ({
    said: words,
  }));

export const removeSession = ({
  bridge,
  session,
}: Pick<ActOn, 'bridge' | 'session'>): Promise<ActResult> =>
  said(callVerb(bridge, 'session.delete', { session: session.key }), () => ({
    said: t('session.said.deleted'),
  }));

async function fork({ bridge, session, newest }: ActOn): Promise<ActResult> {
  if (newest === undefined) return NOTHING;
  return said(
    callVerb(bridge, 'session.fork', { session: session.key, turnId: newest.id }),
    (made) => {
      goTo({ kind: 'sessions', sessionId: made.id });
      return NOTHING;
    },
  );
}

export async function copyText(text: string): Promise<ActResult> {
  await navigator.clipboard.writeText(text);
  return { said: t('session.said.copied') };
}

/** The whole text of a prompt or an answer, whatever its length. */
async function wholeText(
  bridge: HoldfastBridge,
  turnId: number,
  part: 'prompt' | 'answer',
): Promise<string> {
  let text = '';
  for (let fromChar: number | undefined = 0; fromChar !== undefined;) {
    const answer: Awaited<ReturnType<typeof callVerb<'turns.text'>>> = await callVerb(
      bridge,
      'turns.text',
      { turnId, part, fromChar },
    );
    if (!answer.ok) throw new RefusedText(answer);
    text += answer.value.text;
    fromChar = answer.value.nextChar;
  }
  return text;
}

class RefusedText extends Error {
  constructor(readonly trouble: Trouble) {
    super(trouble.message);
  }
}

const orTrouble = async (work: () => Promise<ActResult>): Promise<ActResult> => {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof RefusedText) return { trouble: thrown.trouble };
    throw thrown;
  }
};

/** Sends the last prompt as a new turn. */
export const runAgain = ({ bridge, session, newest }: ActOn): Promise<ActResult> =>
  orTrouble(async () => {
    if (newest === undefined) return NOTHING;
    const text = await wholeText(bridge, newest.id, 'prompt');
    return said(callVerb(bridge, 'send', { text, session: session.key }), ({ sessionId }) => {
      goTo({ kind: 'sessions', sessionId });
      return NOTHING;
    });
  });

const partOf = (event: SessionEvent): 'prompt' | 'answer' | undefined =>
  event.type === 'user.message' || event.type === 'user.define_outcome'
    ? 'prompt'
    : event.type === 'agent.message'
      ? 'answer'
      : undefined;

async function allEvents(bridge: HoldfastBridge, session: string): Promise<SessionEvent[]> {
  let events: SessionEvent[] = [];
  for (;;) {
    const beforeSeq = events[0]?.seq;
    const answer = await callVerb(bridge, 'session.events', {
      session,
      limit: PAGE,
      life: false,
      ...(beforeSeq === undefined ? {} : { beforeSeq }),
    });
    if (!answer.ok) throw new RefusedText(answer);
    events = [...answer.value.events, ...events];
    if (!answer.value.hasMore || answer.value.events.length === 0) return events;
  }
}

const exportSession = ({ bridge, session }: ActOn): Promise<ActResult> =>
  orTrouble(async () => {
    const events = await allEvents(bridge, session.key);
    for (const [at, event] of events.entries()) {
      const part = partOf(event);
      if (!event.isTruncated || part === undefined || event.turnId === undefined) continue;
      events[at] = { ...event, text: await wholeText(bridge, event.turnId, part) };
    }
    const title = sessionTitle(session);
    const text = sessionMarkdown(session, title, events);
    return said(
      callVerb(bridge, 'app.saveText', { name: sessionFileName(title), text }),
      ({ path }) =>
        path === undefined
          ? NOTHING
          : { said: t('session.said.saved', { text: oneLine(path, 200) }) },
    );
  });
