/**
 * What happened at the last restart: the stop, each interrupted turn, and how each ended. S0-29,
 * S0-30
 */
import { useElementSize } from '@mantine/hooks';
import { Check } from 'lucide-react';
import { useRef } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { VerbOutput } from '../../shared/contract';
import type { InboxItem } from '../../shared/types';
import { useVerb } from '../bridge';
import { useNow } from '../clock';
import { lastDecidedAtMs, restartSentence } from '../home/home-view';
import { usePageRows } from '../keys/page-rows';
import { oneLine } from '../parts/inert-view';
import { TrayMedal } from '../parts/icons';
import { outcomeOf } from '../parts/outcome-view';
import { StateChip, TurnTile } from '../parts/state-chip';
import { isClosed } from '../parts/state-view';
import { At, EmptyState, Inert, SectionHead, TroubleNote } from '../parts/texts';
import { clockText, localClocks } from '../parts/time-view';
import { hrefOf } from '../route';
import { useStatus } from '../status';
import { stripEnd, turnStrip } from './restart-view';
import './restart.css';
import { firstSentence } from '../parts/title-view';
import { agentTitle } from '../agents/agent-titles';

type Entry = VerbOutput<'recovery.list'>['lastStart'][number];

/** More than this are only counted, because each needs its own request. */
const SHOWN = 40;

export function RestartPage(): ReactElement {
  const page = useRef<HTMLDivElement>(null);
  usePageRows(page);
  const { status, trouble } = useStatus();
  const recovery = useVerb('recovery.list', {});
  const settled = useVerb('inbox.list', { includeSettled: true, limit: 200 });
  const items = settled.data?.items ?? [];
  const notice = status?.restart;
  const undecided = recovery.data && new Set(recovery.data.decisions.map(({ turnId }) => turnId));
  const sentence = notice
    ? restartSentence(notice, status.nowMs, undefined, {
        undecided,
        decidedAtMs: lastDecidedAtMs(notice, items),
      })
    : undefined;
  const entries = recovery.data?.lastStart ?? [];
  return (
    <div className="page" ref={page}>
      <header className="page-top">
        <TrayMedal state={status?.tray ?? 'stopped'} />
        <div className="grow">
          <h1>{sentence?.lead ?? t('restart.page')}</h1>
          <p className="sub">
            {sentence === undefined ? (
              t('restart.page.noRestart')
            ) : (
              <Inert text={sentence.rest.charAt(0).toUpperCase() + sentence.rest.slice(1)} />
            )}
          </p>
        </div>
      </header>
      <TroubleNote trouble={trouble ?? recovery.trouble} />
      <section aria-label={t('restart.page.turns')}>
        <SectionHead title={t('restart.page.turns')} count={entries.length} />
        {recovery.data !== undefined && entries.length === 0 ? (
          <EmptyState mark={<Check className="icon" />} sentence={t('restart.page.none')} />
        ) : (
          <ul className="card rows">
            {entries.slice(0, SHOWN).map((entry) => (
              <TurnStory key={entry.turnId} entry={entry} items={items} />
            ))}
            {entries.length > SHOWN ? (
              <li className="row more-row sm t3">
                {t('restart.page.more', { count: entries.length - SHOWN })}
              </li>
            ) : null}
          </ul>
        )}
      </section>
    </div>
  );
}

/** One turn: what the restart did with it, its steps, the decision, its end. */
function TurnStory({ entry, items }: { entry: Entry; items: readonly InboxItem[] }): ReactElement {
  const shown = useVerb('turns.show', { turnId: entry.turnId });
  const nowMs = useNow('minute');
  const turn = shown.data?.turn;
  const decided = items.find(
    ({ turnId, settledAtMs }) => turnId === entry.turnId && (settledAtMs ?? 0) >= entry.atMs,
  );
  if (shown.data === undefined || turn === undefined) {
    return (
      <li className="row tall">
        <TroubleNote trouble={shown.trouble} />
      </li>
    );
  }
  const isOver = isClosed(turn.state);
  return (
    <li className="restart-turn">
      <div className="aligned restart-head">
        <TurnTile state={turn.state} />
        <div className="row-text">
          <a className="row-link m5 wrap" href={hrefOf({ kind: 'turn', turnId: turn.id })}>
            {firstSentence(turn.promptStart)}
          </a>
          <div className="sm t3">{agentTitle(turn.agent)}</div>
        </div>
        <StateChip state={turn.state} />
        {turn.endedAtMs === undefined ? null : (
          <span className="sm t3 nw">
            <At atMs={turn.endedAtMs} />
          </span>
        )}
      </div>
      <StripPicture data={shown.data} nowMs={nowMs} />
      <ul className="sm t2 restart-facts">
        <Inert
          as="li"
          text={t('restart.page.start', {
            text: startText(entry),
          })}
        />
        {decided?.settledAtMs === undefined ? null : (
          <Inert
            as="li"
            text={t('restart.page.decided', {
              time: clockText(decided.settledAtMs, nowMs),
              text: oneLine(decided.outcome ?? '', 120),
            })}
          />
        )}
        {isOver ? (
          <Inert
            as="li"
            text={oneLine(
              outcomeOf({
                ...turn,
                ...(shown.data.answer === undefined ? {} : { answerStart: shown.data.answer }),
              }),
              200,
            )}
          />
        ) : null}
      </ul>
    </li>
  );
}

/** What the restart did and why. */
function startText({ action, reason }: Entry): string {
  const did = t(`planAction.${action}`);
  const why = oneLine(localClocks(reason), 200).replace(/\.$/, '');
  return why === '' ? did : `${did} (${why})`;
}

function StripPicture({
  data,
  nowMs,
}: {
  data: VerbOutput<'turns.show'>;
  nowMs: number;
}): ReactElement | null {
  const { ref, width } = useElementSize<HTMLDivElement>();
  const { turn, steps, stops } = data;
  if (turn.startedAtMs === undefined || steps.length === 0) return null;
  const strip = turnStrip(
    { steps, stops, startedAtMs: turn.startedAtMs, toMs: stripEnd(turn, steps, stops, nowMs) },
    Math.max(200, width),
  );
  return (
    <div ref={ref} className="restart-strip" role="img" aria-label={strip.sentence}>
      <svg width="100%" height="18" aria-hidden="true">
        <path className="restart-base" d={`M0 9.5H${String(Math.max(200, width))}`} />
        {strip.breaks.map((gap) => (
          <g key={gap.x} className="restart-break">
            <rect x={gap.x} y={0} width={gap.width} height={18} />
            <path d={`M${String(gap.x + 0.5)} 0V18`} />
          </g>
        ))}
        {strip.bars.map((bar, at) => (
          <rect
            // Two steps may start in the same millisecond.
            key={`${String(at)} ${String(bar.x)}`}
            className={`restart-bar is-${bar.tone}`}
            x={bar.x}
            y={4}
            width={bar.width}
            height={10}
            rx={2}
          />
        ))}
      </svg>
    </div>
  );
}
