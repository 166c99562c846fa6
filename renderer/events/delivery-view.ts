/** Texts of the delivery part, derived from the state of the queue. Pure. */
import type { DeadLetter, QueueStatus } from '../../shared/types/delivery';
import { t } from '../../shared/messages';
import { QUEUE_NEARLY_FULL } from '../../shared/states';
import type { Look, Tone } from '../parts/state-view';
import { formatsHere } from '../parts/time-view';

interface DeliveryHead extends Look {
  readonly text: string;
}

/** One sentence about the broker and what waits for it. */
export function deliveryHead({ broker, depth, isDraining }: QueueStatus): DeliveryHead {
  switch (broker) {
    case 'local':
      return { tone: 'line', mark: 'dash', text: t('delivery.head.local') };
    case 'connecting':
      return { tone: 'waiting', mark: 'clock', text: t('delivery.head.connecting') };
    case 'connected':
      return isDraining && depth > 0
        ? { tone: 'working', mark: 'play', text: t('delivery.head.draining', { count: depth }) }
        : { tone: 'ok', mark: 'check', text: t('delivery.head.connected') };
    case 'down':
      return {
        tone: 'outage',
        mark: 'cross',
        text: t('delivery.head.down', { count: depth }),
      };
  }
}

/** Above this fill level producers are slowed down. */
const SLOWED = 0.5;

/** Fill level for the bar: its tone shows when events start to be dropped. */
export const fillTone = (fill: number): Tone =>
  fill > QUEUE_NEARLY_FULL ? 'attention' : fill >= SLOWED ? 'waiting' : 'kept';

/** "717 kB", "48 bytes": sizes on disk in decimal units, as file managers show them. */
export function bytesText(bytes: number, locale = formatsHere()): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: units[unit] ?? 'byte',
    unitDisplay: unit === 0 ? 'long' : 'short',
    maximumFractionDigits: value < 10 && unit > 0 ? 1 : 0,
  }).format(value);
}

/** A count with the digit grouping of the locale. */
export const countText = (count: number, locale = formatsHere()): string =>
  new Intl.NumberFormat(locale).format(count);

/** Topics of the loaded letters, for the filter. */
export const topicsOf = (letters: readonly DeadLetter[]): readonly string[] =>
  [...new Set(letters.map(({ topic }) => topic))].toSorted();
