/** The interactive parts of a line: each decision links to its turn, or shows its reason. */
import { useState } from 'react';
import type { KeyboardEvent, ReactElement } from 'react';
import { t } from '../../shared/messages';
import { isKey } from '../keys/keys-view';
import { hrefOf } from '../route';
import { decidedMarks, nextMark } from './schedule-lines-view';
import type { LineMark } from './schedule-lines-view';

/** One tab stop per line; the arrow keys move through its decisions. */
export function ScheduleMarks({
  marks,
  scale,
  name,
  onTell,
}: {
  marks: readonly LineMark[];
  /** Width of the picture in px. */
  scale: number;
  name: string;
  /** The focused mark, as text. */
  onTell: (text: string) => void;
}): ReactElement | null {
  const decided = decidedMarks(marks);
  const [chosen, setChosen] = useState<number | undefined>(undefined);
  if (decided.length === 0) return null;
  const stop = Math.min(chosen ?? decided.length, decided.length - 1);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    if (!isKey('linesMove', event)) return;
    event.preventDefault();
    const next = nextMark(stop, event.key === 'ArrowLeft' ? -1 : 1, decided.length);
    event.currentTarget.querySelectorAll<HTMLElement>('.lines-target')[next]?.focus();
  };
  return (
    <span role="group" aria-label={t('lines.runsOf', { name })} onKeyDown={onKeyDown}>
      {decided.map((mark, at) => {
        const target = {
          className: mark.isTick ? 'lines-target tick' : 'lines-target',
          style: { left: mark.x * scale },
          title: mark.title,
          'aria-label': mark.title,
          tabIndex: at === stop ? 0 : -1,
          onFocus: () => {
            setChosen(at);
            onTell(`${name}, ${mark.title}`);
          },
        };
        const key = `${String(at)} ${mark.kind}`;
        return mark.turnId === undefined ? (
          <button key={key} type="button" {...target} />
        ) : (
          <a key={key} href={hrefOf({ kind: 'turn', turnId: mark.turnId })} {...target} />
        );
      })}
    </span>
  );
}
