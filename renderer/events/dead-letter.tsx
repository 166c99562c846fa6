/** One undelivered event: its content, why it was not delivered, and its actions. */
import { Button } from '@mantine/core';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { useId, useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { DeadLetter } from '../../shared/types/delivery';
import { oneLine } from '../parts/inert-view';
import { Ago, At, Inert, InertBlock } from '../parts/texts';
import { bytesText } from './delivery-view';

export function DeadLetterRow({
  letter,
  isBusy,
  onReplay,
  onPurge,
}: {
  letter: DeadLetter;
  isBusy: boolean;
  onReplay: () => void;
  onPurge: () => void;
}): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const about = useId();
  const id = oneLine(letter.id, 80);
  const Chevron = isOpen ? ChevronDown : ChevronRight;
  return (
    <li className="dead-letter">
      <div className="row tall">
        <button
          type="button"
          className="bare flex dead-letter-open"
          aria-expanded={isOpen}
          aria-controls={about}
          onClick={() => setOpen(!isOpen)}
        >
          <Chevron className="icon small t3" aria-hidden="true" />
          <span className="row-text">
            <span className="ellipsis block">
              <Inert className="mono m5" text={letter.topic} />{' '}
              <span className="t2 sm">{t(`delivery.reason.${letter.reason}`)}</span>
            </span>
            <span className="sm t3 ellipsis block">
              <Inert text={oneLine(letter.detail, 160)} /> ·{' '}
              {t('delivery.attempts', { count: letter.attempts })} · {bytesText(letter.bytes)} ·{' '}
              <Ago atMs={letter.failedAtMs} />
            </span>
          </span>
        </button>
        <Button
          size="xs"
          disabled={isBusy || letter.reason === 'unreadable'}
          aria-label={t('delivery.replayOf', { id })}
          onClick={onReplay}
        >
          {t('delivery.replay')}
        </Button>
        <Button
          size="xs"
          variant="subtle"
          className="destructive"
          aria-label={t('delivery.purgeOf', { id })}
          onClick={onPurge}
        >
          {t('delivery.purge')}
        </Button>
      </div>
      <div id={about} hidden={!isOpen} className="dead-letter-about">
        {isOpen ? <About letter={letter} id={id} /> : null}
      </div>
    </li>
  );
}

function About({ letter, id }: { letter: DeadLetter; id: string }): ReactElement {
  return (
    <>
      <p className="sm">
        <span className="mono wrap">{t('delivery.letter', { id })}</span>
      </p>
      {letter.history.length === 0 ? null : (
        <table className="grid dead-letter-history">
          <caption className="sr-only">{t('delivery.history')}</caption>
          <tbody>
            {letter.history.map((attempt, at) => (
              <tr key={`${attempt.atMs} ${String(at)}`}>
                <td className="nw">
                  <At atMs={attempt.atMs} withSeconds />
                </td>
                <Inert as="td" className="wrap" text={attempt.error} />
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <InertBlock text={letter.payloadStart} label={t('delivery.payload')} />
    </>
  );
}
