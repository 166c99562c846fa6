/** The menu of a turn in the list of turns: right click, or `.` while its row has the focus. */
import { Menu } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { TurnSummary } from '../../shared/types';
import { useCommand } from '../bridge';
import { RowMenu } from '../parts/row-menu';
import type { MenuPlace } from '../parts/row-menu';
import { isClosed } from '../parts/state-view';
import { TroubleNote } from '../parts/texts';
import { goTo } from '../route';
import { copyText } from './session-acts';

interface TurnMenu {
  readonly open: (turn: TurnSummary, place: MenuPlace) => void;
  readonly element: ReactElement;
}

export function useTurnMenu(): TurnMenu {
  const [asked, setAsked] = useState<
    { readonly turn: TurnSummary; readonly place: MenuPlace } | undefined
  >(undefined);
  const [said, setSaid] = useState('');
  const cancel = useCommand('turns.cancel');
  const turn = asked?.turn;
  return {
    open(given, place) {
      setSaid('');
      setAsked({ turn: given, place });
    },
    element: (
      <>
        {asked === undefined || turn === undefined ? null : (
          <RowMenu
            place={asked.place}
            label={t('turn.more', { id: turn.id })}
            onClose={() => setAsked(undefined)}
          >
            <Menu.Item onClick={() => goTo({ kind: 'turn', turnId: turn.id })}>
              {t('turn.menu.open')}
            </Menu.Item>
            <Menu.Item onClick={() => goTo({ kind: 'sessions', sessionId: turn.sessionId })}>
              {t('turn.menu.session')}
            </Menu.Item>
            <Menu.Item
              onClick={() =>
                void copyText(`holdfast://open/turn/${turn.id}`).then(() =>
                  setSaid(t('session.said.copied')),
                )
              }
            >
              {t('turn.menu.copyLink')}
            </Menu.Item>
            {isClosed(turn.state) ? null : (
              <>
                <Menu.Divider />
                <Menu.Item
                  className="destructive"
                  onClick={() => void cancel.run({ turnId: turn.id })}
                >
                  {t('stop.turn')}
                </Menu.Item>
              </>
            )}
          </RowMenu>
        )}
        <div className="menu-said" role="status">
          {said === '' ? null : <span className="note-line">{said}</span>}
        </div>
        <TroubleNote trouble={cancel.trouble} />
      </>
    ),
  };
}
