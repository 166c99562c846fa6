/** Shows below a field whether its content is on disk, or why it is not. */
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { HMark } from '../parts/icons';
import { Mark } from '../parts/state-chip';
import type { Keeping } from './unsent-store';
import './kept-mark.css';

function Said({ keeping }: { keeping: Keeping }): ReactElement | null {
  switch (keeping) {
    case 'nothing':
      return null;
    case 'keeping':
      return <span className="t3">{t('unsent.keeping')}</span>;
    case 'kept':
      return (
        <span className="fate ink-kept" title={t('unsent.keptAbout')}>
          <HMark size={11} />
          {t('unsent.kept')}
        </span>
      );
    case 'tooLong':
    case 'refused':
      return (
        <span className="fate ink-attention" role="status">
          <Mark name="triangle" className="icon small" />
          {t(`unsent.${keeping}`)}
        </span>
      );
  }
}

/** Its space is always reserved, so that nothing moves when the user starts typing. */
export const KeptMark = ({ keeping }: { keeping: Keeping }): ReactElement => (
  <span className="kept-mark xs">
    <Said keeping={keeping} />
  </span>
);
