/** Items that need the user, as rows of Home: the question, its details, the way to answer. */
import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { InboxItem } from '../../shared/types';
import { useNow } from '../clock';
import { QuestionText } from '../decisions/question-text';
import {
  askerOf,
  detailOf,
  entryTitle,
  isPlainlyUnknown,
  wholeTitle,
} from '../decisions/decision-view';
import type { Entry } from '../decisions/decision-view';
import { EntryTile } from '../decisions/entry-tile';
import { oneLine } from '../parts/inert-view';
import { Row } from '../parts/row';
import { At, Inert, SectionHead } from '../parts/texts';
import { ageText, localClocks } from '../parts/time-view';
import { hrefOf } from '../route';

/** Destination of an inbox row's button. */
const inboxHref = (item: InboxItem): string =>
  item.kind === 'approval'
    ? hrefOf({ kind: 'decisions', itemId: item.id })
    : item.turnId !== undefined
      ? hrefOf({ kind: 'decisions', turnId: item.turnId })
      : item.sessionId !== undefined
        ? hrefOf({ kind: 'sessions', sessionId: item.sessionId })
        : hrefOf({ kind: 'decisions' });

/** Questions in one card, the oldest first as given. */
export function Asks({
  entries,
  title,
  isUrgentList = false,
}: {
  entries: readonly Entry[];
  title: string;
  /** The first of these has the one filled button of the page. */
  isUrgentList?: boolean;
}): ReactElement | null {
  const nowMs = useNow('minute');
  if (entries.length === 0) return null;
  const oldestMs = Math.min(...entries.map(({ item }) => item.createdAtMs));
  return (
    <section aria-label={title}>
      <SectionHead title={title} count={entries.length}>
        {nowMs - oldestMs < 60_000 ? null : (
          <span className="end sm t3">{t('home.oldest', { age: ageText(oldestMs, nowMs) })}</span>
        )}
      </SectionHead>
      <ul className="card rows">
        {entries.map((entry, index) => (
          <Row
            key={entry.item.id}
            lead={<EntryTile entry={entry} />}
            name={
              <span title={wholeTitle(entry)}>
                <QuestionText text={oneLine(entryTitle(entry))} />
              </span>
            }
            quiet={<AskerOf entry={entry} />}
            second={
              <SecondLine
                text={[taskOf(entry), oneLine(aboutOf(entry), 140)]
                  .filter((part) => part !== '')
                  .join(' · ')
                  .replace(/\.$/, '')}
                atMs={entry.item.createdAtMs}
              />
            }
          >
            <Button
              component="a"
              href={inboxHref(entry.item)}
              size="xs"
              variant={isUrgentList && index === 0 ? 'filled' : 'default'}
              aria-label={t('home.reviewOf', {
                title: oneLine(entryTitle(entry), 80),
              })}
            >
              {t('home.review')}
            </Button>
          </Row>
        ))}
      </ul>
    </section>
  );
}

/** Its details in a few words. */
function aboutOf({ decision, request, item }: Entry): string {
  // The question and its mark already show it, so the line has space for the subject.
  if (decision !== undefined && isPlainlyUnknown(decision))
    return decision.promptStart === '' ? t('home.leftNoAnswer') : '';
  return decision === undefined
    ? (request?.reason ?? detailOf(item))
    : localClocks(decision.reason);
}

const taskOf = ({ decision, request }: Entry): string => {
  const task = decision?.promptStart ?? request?.promptStart;
  return task === undefined ? '' : oneLine(task, 100);
};

/** If there is no space, the sentence is truncated, never the time after it. */
function SecondLine({ atMs, text }: { atMs: number; text: string }): ReactElement {
  return (
    <span className="second-line">
      <Inert className="ellipsis" title={text} text={text} />{' '}
      <span className="nw">
        · <At atMs={atMs} />
      </span>
    </span>
  );
}

/** The asking agent. The question names the action in words; the tool's name is on its own page. */
function AskerOf({ entry }: { entry: Entry }): ReactElement | null {
  const asker = askerOf(entry);
  return asker === undefined ? null : <Inert text={oneLine(asker, 64)} />;
}
