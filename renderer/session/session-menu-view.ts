/** The entries of a session's menu, and why some are disabled. Pure. */
import type { MessageKey } from '../../shared/messages';
import type { AgentView, SessionView, TurnSummary } from '../../shared/types';

export type SessionAct =
  | 'rename'
  | 'pin'
  | 'unpin'
  | 'archive'
  | 'unarchive'
  | 'fork'
  | 'again'
  | 'copyLink'
  | 'export'
  | 'files'
  | 'editor'
  | 'terminal'
  | 'delete';

interface SessionMenuItem {
  readonly act: SessionAct;
  readonly label: MessageKey;
  /** Why it is disabled. */
  readonly why?: MessageKey;
}

interface MenuFacts {
  readonly session: SessionView;
  readonly agent: AgentView | undefined;
  /** The newest turn; undefined while unknown, or if there is none. */
  readonly newest: TurnSummary | undefined;
}

const item = (act: SessionAct, why?: MessageKey): SessionMenuItem => ({
  act,
  label: `session.menu.${act}` as MessageKey,
  ...(why === undefined ? {} : { why }),
});

const forkWhy = ({ agent, newest }: MenuFacts): MessageKey | undefined => {
  if (agent?.executor !== 'llm') return 'session.menu.fork.external';
  return newest?.state === 'completed' ? undefined : 'session.menu.fork.open';
};

/** Groups of the menu, from harmless to permanent. */
export function sessionMenu(facts: MenuFacts): readonly (readonly SessionMenuItem[])[] {
  const { session, agent, newest } = facts;
  const isOpen = session.pendingEvents > 0;
  const noFolder: MessageKey | undefined = agent === undefined ? 'session.menu.noAgent' : undefined;
  return [
    [
      item('rename'),
      item(session.isPinned === true ? 'unpin' : 'pin'),
      item(session.isArchived === true ? 'unarchive' : 'archive'),
    ],
    [
      item('fork', forkWhy(facts)),
      item(
        'again',
        newest === undefined
          ? 'session.menu.again.none'
          : agent === undefined
            ? 'session.menu.noAgent'
            : undefined,
      ),
    ],
    [item('copyLink'), item('export')],
    [item('files', noFolder), item('editor', noFolder), item('terminal', noFolder)],
    [item('delete', isOpen ? 'session.menu.delete.open' : undefined)],
  ];
}

/** The address that opens this session in the app. */
export const sessionLink = (sessionId: number): string => `holdfast://open/session/${sessionId}`;

/** A file name for this session. */
export const sessionFileName = (title: string): string =>
  `${
    title
      .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
      .replaceAll(/^-+|-+$/g, '')
      .slice(0, 60) || 'session'
  }.md`;
