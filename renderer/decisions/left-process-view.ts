/** Texts of a command that outlived a crash. Pure. */
import { t } from '../../shared/messages';
import type { LeftProcessView } from '../../shared/types';

/** Its outcome, or the user's answer about it; undefined if there is neither. */
export function leftSentence({ state, answer }: LeftProcessView): string | undefined {
  switch (state) {
    case 'ended':
      return t('left.ended.by_itself');
    case 'ended_by_you':
      return t('left.ended.by_you');
    case 'ended_unseen':
      return t('left.ended.unseen');
    case 'running':
      return answer === undefined ? undefined : t(`left.said.${answer}`);
  }
}

interface LeftOffer {
  readonly answer: 'wait' | 'end' | 'leave';
  readonly words: { readonly label: string; readonly short: string; readonly effect: string };
}

/** Possible answers while it runs; the one given already is not offered again. */
export function leftOffers({ state, answer, pid }: LeftProcessView): readonly LeftOffer[] {
  if (state !== 'running' || answer === 'leave') return [];
  const all = (['wait', 'end', 'leave'] as const).filter(
    (one) => one !== 'wait' || answer !== 'wait',
  );
  return all.map((one) => ({
    answer: one,
    words: {
      label: t(`left.${one}`),
      short: t(`left.${one}Short`),
      effect: t(`left.${one}Effect`, { number: pid }),
    },
  }));
}
