/** How a host is, where that hides what is there. Pure. HO-02 */
import { hostFacts, isHidden } from '../../shared/host-facts';
import { hostHeadline } from '../../shared/host-words';
import { t } from '../../shared/messages';
import type { HostView } from '../../shared/types';
import { oneLine } from '../parts/inert-view';

/** What `ssh` and a host say of themselves ends with no period. */
export const asSentence = (text: string): string =>
  /[.!?…]$/u.test(text) ? text : t('host.sentence', { text });

/** Each in a sentence or two; none: it is connected, and its Holdfast runs. */
export const hostNotes = (host: HostView): readonly string[] =>
  hostFacts([host])
    .filter((fact) => isHidden(fact) || fact.kind === 'connecting')
    .map((fact) => {
      const why = 'why' in fact ? oneLine(fact.why, 300) : '';
      const head = t('host.sentence', { text: hostHeadline(fact, t) });
      return why === '' ? head : `${head} ${asSentence(why)}`;
    });
