/**
 * Computers: the state of each that shares work, and why a shared turn waits on one computer. DW-28
 */
import { Button } from '@mantine/core';
import { useEffect, useRef } from 'react';
import type { ReactElement } from 'react';
import { Fact } from '../parts/fact';
import { t } from '../../shared/messages';
import type { ComputerView, ShareStatus, WaitingView } from '../../shared/types/share';
import { useCommand, useVerb } from '../bridge';
import { useNow } from '../clock';
import { Chip } from '../parts/state-chip';
import { Inert, SectionHead, TroubleNote } from '../parts/texts';
import {
  clockOffsetText,
  isClockFar,
  computersHead,
  computersSub,
  computerState,
  contactText,
  offersText,
  waitedText,
  whyRows,
} from './computers-view';
import { InviteComputer } from './invite-computer';
import { StartSharing } from './start-sharing';
import { StopSharing } from './stop-sharing';
import './computers.css';

export function ComputersPage(): ReactElement {
  const status = useVerb('share.status', {});
  if (status.data === undefined)
    return (
      <div className="page computers-page">
        <h1>{t('nav.computers')}</h1>
        <TroubleNote trouble={status.trouble} />
      </div>
    );
  return status.data.state === 'off' ? (
    <StartSharing status={status.data} onDone={status.reload} />
  ) : (
    <Shared status={status.data} onLeft={status.reload} />
  );
}

function Shared({ status, onLeft }: { status: ShareStatus; onLeft: () => void }): ReactElement {
  const list = useVerb('machines.list', {});
  const nowMs = useNow('minute');
  const news = `${String(nowMs)} ${status.state} ${String(status.held)}`;
  const asked = useRef(news);
  const { reload } = list;
  // Events of other computers are not announced here.
  useEffect(() => {
    if (asked.current === news) return;
    asked.current = news;
    reload();
  }, [news, reload]);
  const machines = list.data?.machines;
  return (
    <div className="page computers-page">
      <header className="page-top">
        <div className="grow">
          <h1>{computersHead(status, machines)}</h1>
          <Inert as="p" className="sub" text={computersSub(status)} />
        </div>
        <StopSharing onDone={onLeft} />
      </header>
      {status.problem === undefined ? null : (
        <Inert as="p" className="note-line tone-attention" role="status" text={status.problem} />
      )}
      <TroubleNote trouble={status.problem === undefined ? list.trouble : undefined} />
      {machines === undefined ? null : (
        <>
          <Computers machines={machines} isOwner={status.isOwner} onDone={reload} />
          <Waiting turns={list.data?.waiting ?? []} machines={machines} onDone={reload} />
        </>
      )}
      <InviteComputer status={status} onDone={reload} />
      <p className="sm t3 computers-limits">{t('computers.limits')}</p>
    </div>
  );
}

const COLUMNS = ['name', 'state', 'version', 'leases', 'clock', 'contact'] as const;

function Computers({
  machines,
  isOwner,
  onDone,
}: {
  machines: readonly ComputerView[];
  isOwner: boolean;
  onDone: () => void;
}): ReactElement {
  return (
    <section aria-label={t('computers.list')}>
      <SectionHead title={t('computers.list')} count={machines.length} />
      <div className="card scroll-x">
        <table className="grid">
          <thead>
            <tr>
              {COLUMNS.map((name) => (
                <th key={name} scope="col" className={name === 'leases' ? 'right' : undefined}>
                  {t(`computers.column.${name}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {machines.map((one) => (
              <Computer
                key={`${one.name} ${one.state}`}
                computer={one}
                isOwner={isOwner}
                onDone={onDone}
              />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Computer({
  computer,
  isOwner,
  onDone,
}: {
  computer: ComputerView;
  isOwner: boolean;
  onDone: () => void;
}): ReactElement {
  const { tone, mark, label } = computerState(computer);
  return (
    <tr>
      <th scope="row" className="computers-name">
        <Inert className="m5" text={computer.name} />
        {computer.isThis ? <span className="chip tone-line">{t('computers.this')}</span> : null}
        <Inert className="block t3" text={offersText(computer)} />
      </th>
      <td className="nw">
        <Chip tone={tone} mark={mark}>
          {t(label as 'computers.state.up')}
        </Chip>
        {computer.state === 'asking' && isOwner ? (
          <Admit name={computer.name} onDone={onDone} />
        ) : null}
      </td>
      <Inert as="td" className="t2 nw" text={computer.version === '' ? '–' : computer.version} />
      <td className="right digits">{computer.leases}</td>
      <td className="t2 nw">
        {isClockFar(computer) ? (
          <Chip tone="waiting" mark="clock">
            {clockOffsetText(computer)}
          </Chip>
        ) : (
          clockOffsetText(computer)
        )}
      </td>
      <td className="t2 nw">{contactText(computer)}</td>
    </tr>
  );
}

function Admit({ name, onDone }: { name: string; onDone: () => void }): ReactElement {
  const admit = useCommand('share.admit');
  return (
    <>
      <Button
        size="xs"
        className="computers-admit"
        loading={admit.isBusy}
        aria-label={t('computers.admitOf', { name })}
        onClick={() => void admit.run({ name }).then(onDone)}
      >
        {t('computers.admit')}
      </Button>
      <TroubleNote trouble={admit.trouble} />
    </>
  );
}

function Waiting({
  turns,
  machines,
  onDone,
}: {
  turns: readonly WaitingView[];
  machines: readonly ComputerView[];
  onDone: () => void;
}): ReactElement {
  return (
    <section aria-label={t('computers.waiting')}>
      <SectionHead
        title={t('computers.waiting')}
        count={turns.length === 0 ? undefined : turns.length}
      />
      {turns.length === 0 ? (
        <p className="sm t3">{t('computers.waiting.none')}</p>
      ) : (
        <ul className="card rows">
          {turns.map((turn) => (
            <WaitingTurn key={turn.id} turn={turn} machines={machines} onDone={onDone} />
          ))}
        </ul>
      )}
    </section>
  );
}

function WaitingTurn({
  turn,
  machines,
  onDone,
}: {
  turn: WaitingView;
  machines: readonly ComputerView[];
  onDone: () => void;
}): ReactElement {
  const release = useCommand('share.release');
  return (
    <li className="stack computers-turn">
      <div className="aligned flex-wrap computers-turn-head">
        <Inert as="strong" className="m5 ellipsis" text={turn.session} />
        <span className="sm t3 nw">{waitedText(turn)}</span>
        <Inert className="grow t2 sm" text={turn.why} />
        {turn.place === undefined ? null : (
          <Button
            size="xs"
            loading={release.isBusy}
            onClick={() => void release.run({ id: turn.id }).then(onDone)}
          >
            {t('computers.release')}
          </Button>
        )}
      </div>
      <TroubleNote trouble={release.trouble} />
      <dl className="facts" aria-label={t('computers.waiting.where')}>
        {whyRows(machines, turn).map(({ name, why }) => (
          <div key={name} className="computers-why">
            <Fact name={name}>{why}</Fact>
          </div>
        ))}
      </dl>
    </li>
  );
}
