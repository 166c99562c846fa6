/** All turns, newest first. Only visible rows are rendered, so 100,000 scroll smoothly. */
import { memo } from 'react';
import type { ReactElement } from 'react';
import { answeredSentence } from '../../shared/answered-by';
import { sentenceText, t } from '../../shared/messages';
import type { TurnSummary } from '../../shared/types';
import { useNow } from '../clock';
import { oneLine } from '../parts/inert-view';
import { StateChip } from '../parts/state-chip';
import { isClosed } from '../parts/state-view';
import { StopButton } from '../parts/stop-button';
import { Countdown, EmptyState, Moment, TroubleNote } from '../parts/texts';
import { clockText, durationText, localClocks, moneyText } from '../parts/time-view';
import { hrefOf } from '../route';
import { RetryNow } from '../turn/retry-note';
import { LongList } from './long-list';
import { turnTookMs } from './turn-list-view';
import type { TurnFilter } from './turn-list-view';
import { useTurnMenu } from './turn-menu';
import { useTurnPages } from './use-turn-pages';
import { firstSentence } from '../parts/title-view';
import { agentTitle } from '../agents/agent-titles';

const COLUMNS = ['state', 'turn', 'agent', 'started', 'took', 'steps', 'cost', 'stop'] as const;

export function TurnList({ filter }: { filter: TurnFilter }): ReactElement {
  const { held, isLoading, trouble, loadOlder } = useTurnPages(filter);
  const { turns, hasMore } = held;
  const isLive = turns.some((turn) => turn.state === 'running');
  const nowMs = useNow(isLive ? 'second' : 'minute');
  const menu = useTurnMenu();
  return (
    <>
      {menu.element}
      <TroubleNote trouble={trouble} />
      {turns.length === 0 && !isLoading ? (
        <div className="card">
          <EmptyState
            mark={null}
            sentence={t(filter === 'all' ? 'turns.empty' : 'turns.noneFits')}
          />
        </div>
      ) : (
        <LongList
          key={filter}
          label={t('turns.list')}
          name="turn-list"
          columns={COLUMNS.map((name) => ({ name, label: t(`turns.col.${name}`) }))}
          count={turns.length}
          hasMore={hasMore}
          onNearEnd={loadOlder}
          rowKey={(index) => turns[index]?.id ?? index}
          onRowMenu={(index, place) => {
            const turn = turns[index];
            if (turn) menu.open(turn, place);
          }}
        >
          {(index) => {
            const turn = turns[index];
            if (!turn) return null;
            // Only running turns change with the clock.
            const at = turn.state === 'running' ? nowMs : 0;
            return <TurnCells turn={turn} nowMs={at} dayMs={dayOf(nowMs)} />;
          }}
        </LongList>
      )}
    </>
  );
}

const DAY_MS = 86_400_000;
/** Changes once a day, so that rows do not render every second. */
const dayOf = (nowMs: number): number => {
  const day = new Date(nowMs);
  day.setHours(12, 0, 0, 0);
  return day.getTime() + (nowMs - day.getTime() > DAY_MS ? DAY_MS : 0);
};

const TurnCells = memo(function DrawnTurn({
  turn,
  nowMs,
  dayMs,
}: {
  turn: TurnSummary;
  nowMs: number;
  dayMs: number;
}): ReactElement {
  const tookMs = turnTookMs(turn, nowMs);
  const answered = answeredSentence(turn);
  const startMs = turn.startedAtMs ?? turn.acceptedAtMs;
  return (
    <>
      <span role="cell" className="l-state">
        <StateChip state={turn.state} />
      </span>
      <span role="cell" className="l-turn">
        <a className="row-link m5 ellipsis" href={hrefOf({ kind: 'turn', turnId: turn.id })}>
          {firstSentence(turn.promptStart)}
        </a>
        {turn.retry?.dueAtMs === undefined ? null : (
          <span className="sm ink-waiting nw">
            {t('retry.next')} <Countdown untilMs={turn.retry.dueAtMs} />,{' '}
            {t('retry.streak', { count: turn.retry.streak })}
          </span>
        )}
        {answered === undefined || turn.reason !== '' ? null : (
          <span className="sm t3 ellipsis" title={oneLine(sentenceText(answered), 300)}>
            {oneLine(sentenceText(answered), 120)}
          </span>
        )}
        {turn.reason === '' ? null : (
          <span className="sm t3 ellipsis" title={oneLine(localClocks(turn.reason), 300)}>
            {oneLine(localClocks(turn.reason), 120)}
          </span>
        )}
      </span>
      <span role="cell" className="l-agent t2 ellipsis">
        {oneLine(agentTitle(turn.agent), 64)}
        {turn.computer === undefined ? null : (
          <>
            {' '}
            <span className="t3">{t('computer.on', { name: oneLine(turn.computer, 64) })}</span>
          </>
        )}
      </span>
      <span role="cell" className="l-started t3">
        <Moment atMs={startMs}>{clockText(startMs, dayMs)}</Moment>
      </span>
      <span role="cell" className="l-took t2">
        {tookMs === undefined ? '' : durationText(tookMs)}
      </span>
      <span role="cell" className="l-steps t2">
        {turn.steps}
        {turn.reused > 0 ? (
          <span className="ink-kept"> {t('turns.reused', { count: turn.reused })}</span>
        ) : null}
      </span>
      <span role="cell" className="l-cost t2">
        {turn.usage.costUsd === undefined ? '' : moneyText(turn.usage.costUsd)}
      </span>
      <span role="cell" className="l-stop">
        {turn.retry?.dueAtMs === undefined ? null : (
          <RetryNow key={turn.retry.dueAtMs} turnId={turn.id} name={turn.promptStart} />
        )}
        {isClosed(turn.state) ? null : <StopButton turnId={turn.id} name={turn.promptStart} />}
      </span>
    </>
  );
});
