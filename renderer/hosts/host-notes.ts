/** Notes about a host whose state is hidden. Pure. HO-02 */
import { hostFacts, isHidden } from '../../shared/host-facts';
import { hostHeadline } from '../../shared/host-words';
import { t } from '../../shared/messages';
import type { HostView } from '../../shared/types';
import { oneLine } from '../parts/inert-view';

/** Messages of `ssh` and of a host end without a period. */
export const asSentence = (text: string): string =>
  /[.!?…]$/u.test(text) ? text : t('host.sentence', { text });

/** Each in a sentence or two; empty if it is connected and its Holdfast runs. */
export const hostNotes = (host: HostView): readonly string[] =>
  hostFacts([host])
    .filter((fact) => isHidden(fact) || fact.kind === 'connecting')
    .map((fact) => {
      const why = 'why' in fact ? oneLine(fact.why, 300) : '';
      const head = t('host.sentence', { text: hostHeadline(fact, t) });
      return why === '' ? head : `${head} ${asSentence(why)}`;
    });
