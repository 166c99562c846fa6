import type { ReactElement } from 'react';
import { Tile } from '../parts/state-chip';
import type { Entry } from './decision-view';

/** The mark of an entry: the kind of question, or resolved. */
export function EntryTile({ entry }: { entry: Entry }): ReactElement {
  const { item, decision, request } = entry;
  if (request?.answer === 'denied') return <Tile tone="muted" mark="cross" />;
  if (request?.answer === 'cleared') return <Tile tone="muted" mark="stop" />;
  if (item.settledAtMs !== undefined) return <Tile tone="ok" mark="check" />;
  if (item.taskId !== undefined) return <Tile tone="muted" mark="clock" />;
  if (decision?.kind === 'parked') return <Tile tone="muted" mark="pause" />;
  switch (item.kind) {
    case 'replay_decision':
      return <Tile tone="ambiguous" mark="diamond" />;
    case 'approval':
      return <Tile tone="attention" mark="shield" />;
    case 'limit':
      return <Tile tone="attention" mark="pause" />;
    case 'unanswered':
    case 'outage':
    case 'problem':
    case 'restart_notice':
      return <Tile tone="attention" mark="triangle" />;
  }
}
