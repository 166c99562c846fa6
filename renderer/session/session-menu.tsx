/** The menu of a session: the same in the list, on right click, and in the session. */
import { ActionIcon, Button, Menu, Modal, TextInput } from '@mantine/core';
import { Ellipsis } from 'lucide-react';
import { Fragment, useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { SessionView, TurnSummary } from '../../shared/types';
import { useBridge, useVerb } from '../bridge';
import { RowMenu, placeBelow } from '../parts/row-menu';
import type { MenuPlace } from '../parts/row-menu';
import { TroubleNote } from '../parts/texts';
import { edit, removeSession, runAgain, runSessionAct } from './session-acts';
import type { ActResult } from './session-acts';
import { sessionMenu } from './session-menu-view';
import type { SessionAct } from './session-menu-view';
import { sessionTitle } from './session-title';

interface MenuTarget {
  readonly session: SessionView;
  readonly place: MenuPlace;
}

export interface SessionMenu {
  /** Opens the menu of this session there. */
  readonly open: (session: SessionView, place: MenuPlace) => void;
  /** The menu, its questions, and the result of an action; once per page. */
  readonly element: ReactElement;
}

export function useSessionMenu(onDeleted?: () => void): SessionMenu {
  const [asked, setAsked] = useState<MenuTarget | undefined>(undefined);
  const [question, setQuestion] = useState<Question | undefined>(undefined);
  const [result, setResult] = useState<ActResult>({});
  return {
    open(session, place) {
      setResult({});
      setAsked({ session, place });
    },
    element: (
      <>
        {asked === undefined ? null : (
          <OpenMenu
            key={asked.session.id}
            asked={asked}
            onClose={() => setAsked(undefined)}
            onAsk={setQuestion}
            onResult={setResult}
          />
        )}
        {question === undefined ? null : (
          <QuestionDialog
            key={question.act}
            question={question}
            onClose={() => setQuestion(undefined)}
            onDone={(done) => {
              setResult(done);
              setQuestion(undefined);
              if (question.act === 'delete') onDeleted?.();
            }}
          />
        )}
        <div className="menu-said" role="status">
          {result.said === undefined ? null : <span className="note-line">{result.said}</span>}
        </div>
        <TroubleNote trouble={result.trouble} />
      </>
    ),
  };
}

interface Question {
  readonly act: Extract<SessionAct, 'rename' | 'again' | 'delete'>;
  readonly session: SessionView;
  readonly newest: TurnSummary | undefined;
}

function OpenMenu({
  asked: { session, place },
  onClose,
  onAsk,
  onResult,
}: {
  asked: MenuTarget;
  onClose: () => void;
  onAsk: (question: Question) => void;
  onResult: (result: ActResult) => void;
}): ReactElement {
  const bridge = useBridge();
  const agents = useVerb('agents.list', {});
  const turns = useVerb('turns.list', { session: session.key, limit: 1 });
  const newest = turns.data?.turns[0];
  const agent = agents.data?.agents.find(({ name }) => name === session.agent);
  const groups = sessionMenu({ session, agent, newest });
  const run = (act: SessionAct): void => {
    if (act === 'rename' || act === 'again' || act === 'delete') onAsk({ act, session, newest });
    else void runSessionAct(act, { bridge, session, newest }).then(onResult);
  };
  return (
    <RowMenu
      place={place}
      label={t('session.more', { name: sessionTitle(session) })}
      onClose={onClose}
    >
      {groups.map((group, at) => (
        <Fragment key={group[0]?.act}>
          {at === 0 ? null : <Menu.Divider />}
          {group.map(({ act, label, why }) => (
            <Menu.Item
              key={act}
              disabled={why !== undefined}
              className={act === 'delete' ? 'destructive' : undefined}
              onClick={() => run(act)}
            >
              {t(label as 'session.menu.rename')}
              {why === undefined ? null : (
                <span className="xs t3 block">{t(why as 'session.menu.noAgent')}</span>
              )}
            </Menu.Item>
          ))}
        </Fragment>
      ))}
    </RowMenu>
  );
}

/** The button that opens it. */
export function SessionMenuButton({
  session,
  onOpen,
}: {
  session: SessionView;
  onOpen: SessionMenu['open'];
}): ReactElement {
  return (
    <ActionIcon
      variant="subtle"
      className="session-more"
      aria-haspopup="menu"
      aria-label={t('session.more', { name: sessionTitle(session) })}
      onClick={(event) => onOpen(session, placeBelow(event.currentTarget))}
    >
      <Ellipsis className="icon" />
    </ActionIcon>
  );
}

function QuestionDialog({
  question,
  onClose,
  onDone,
}: {
  question: Question;
  onClose: () => void;
  onDone: (result: ActResult) => void;
}): ReactElement {
  const bridge = useBridge();
  const { act, session, newest } = question;
  const [title, setTitle] = useState(session.title);
  const [trouble, setTrouble] = useState<ActResult['trouble']>(undefined);
  const [isBusy, setBusy] = useState(false);
  const named = title.trim();
  const run = async (): Promise<void> => {
    setBusy(true);
    const on = { bridge, session, newest };
    const result =
      act === 'rename'
        ? await edit(on, { title: named }, t('session.said.renamed'))
        : act === 'again'
          ? await runAgain(on)
          : await removeSession(on);
    setBusy(false);
    if (result.trouble === undefined) onDone(result);
    else setTrouble(result.trouble);
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t(`session.${act}.title`, { name: sessionTitle(session) })}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (act !== 'rename' || named !== '') void run();
        }}
      >
        {act === 'rename' ? (
          <TextInput
            data-autofocus
            label={t('session.rename.label')}
            value={title}
            maxLength={200}
            onChange={(event) => setTitle(event.currentTarget.value)}
          />
        ) : (
          <p>{t(`session.${act}.about`)}</p>
        )}
        <TroubleNote trouble={trouble} />
        <div className="dialog-actions">
          <Button data-autofocus={act === 'rename' ? undefined : true} onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button
            type="submit"
            className={act === 'delete' ? 'destructive' : undefined}
            {...(act === 'rename' ? { variant: 'filled' } : {})}
            disabled={act === 'rename' && named === ''}
            loading={isBusy}
          >
            {t(`session.${act}.confirm`)}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
