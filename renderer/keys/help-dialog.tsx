/**
 * The keyboard map, drawn from the same table that the handlers use, and what is not promised
 * (S3-36).
 */
import { Modal } from '@mantine/core';
import type { ReactElement } from 'react';
import { Fact } from '../parts/fact';
import { t } from '../../shared/messages';
import { isMac } from './key-place';
import { KEY_GROUPS, keysOf } from './keys-view';
import './keys.css';

export function HelpDialog({
  isOpen,
  onClose,
}: {
  isOpen: boolean;
  onClose: () => void;
}): ReactElement {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={t('keys.title')}
      size={620}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <div className="keys-columns">
        {KEY_GROUPS.map(({ label, rows }) => (
          <section key={label} aria-label={t(label as 'keys.group.lists')}>
            <h3>{t(label as 'keys.group.lists')}</h3>
            <dl className="keys-list">
              {rows.map((row) => (
                <div key={row.id} className="keys-row">
                  <Fact name={t(row.label as 'keys.next')}>
                    {keysOf(row, isMac()).map((text) => (
                      <kbd key={text} className="kbd">
                        {text}
                      </kbd>
                    ))}
                  </Fact>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <p className="sm t3 keys-note">{t('keys.note')}</p>
      <section aria-label={t('help.limits')} className="keys-promises">
        <h3>{t('help.limits')}</h3>
        <p className="sm t2">{t('help.kept')}</p>
        <p className="sm t2">{t('help.notPromised')}</p>
      </section>
    </Modal>
  );
}
