import { Radio } from '@mantine/core';
import { Bell } from 'lucide-react';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { useCommand, useVerb } from '../bridge';
import { isMac } from '../keys/key-place';
import { comboText } from '../keys/keys-view';
import { NotificationTest } from '../parts/notification-test';
import { HMark, TrayGlyph } from '../parts/icons';
import { Inert, TroubleNote } from '../parts/texts';
import { StepFrame } from './step-frame';
import type { StepProps } from './step-props';

/**
 * What continues when the window is closed, and whether Holdfast starts at login. Nothing is
 * preselected.
 */
export function KeepsStep({ onNext, onBack }: StepProps): ReactElement {
  const info = useVerb('app.info', {});
  const save = useCommand('config.set');
  const [login, setLogin] = useState('');
  const hasTray = info.data?.tray.available ?? true;
  const next = (): void => {
    if (login === '') onNext();
    else {
      void save.run({ key: 'app.start_at_login', value: login === 'yes' }).then((answer) => {
        if (answer.ok) onNext();
      });
    }
  };
  return (
    <StepFrame
      title={t('keeps.title')}
      sub={t('keeps.sub')}
      foot={t('keeps.foot')}
      isBusy={save.isBusy}
      onNext={next}
      onBack={onBack}
    >
      <ul className="card rows">
        <li className="row tall">
          <span className="tile tone-kept">
            <HMark />
          </span>
          <div className="row-text">
            <div className="m5">{t('keeps.disk')}</div>
            <div className="sm t2">{t('keeps.diskAbout')}</div>
          </div>
        </li>
        <li className="row tall">
          <span className="tile tone-waiting">
            <TrayGlyph state="idle" />
          </span>
          <div className="row-text">
            <div className="m5">{hasTray ? t('keeps.close') : t('keeps.closeNoTray')}</div>
            <div className="sm t2">
              {hasTray ? (
                t('keeps.closeAbout')
              ) : (
                <Inert text={info.data?.tray.reason || t('keeps.closeNoTrayAbout')} />
              )}
            </div>
          </div>
        </li>
        <li className="row tall">
          <span className="tile tone-muted">
            <TrayGlyph state="stopped" />
          </span>
          <div className="row-text">
            <div className="m5">{t('keeps.quit')}</div>
            <div className="sm t2">
              {hasTray
                ? t('keeps.quitAbout')
                : t('keeps.quitAboutNoTray', { text: comboText('mod+q', isMac()) })}
            </div>
          </div>
        </li>
        <li className="row tall">
          <span className="tile tone-attention">
            <Bell className="icon" />
          </span>
          <div className="row-text">
            <div className="m5">{t('keeps.notices')}</div>
            <Inert
              as="div"
              className="sm t2"
              text={
                info.data === undefined || info.data.notifications.available
                  ? t('keeps.noticesAbout')
                  : info.data.notifications.reason
              }
            />
          </div>
          <NotificationTest />
        </li>
      </ul>
      <div className="card padded">
        <Radio.Group
          value={login}
          onChange={setLogin}
          label={t('keeps.login')}
          description={
            info.data?.loginItem.supported === false ? t('general.noLoginItem') : t('general.login')
          }
        >
          <div className="flex flex-wrap login-choices">
            <Radio.Card value="yes" className="login-choice">
              <Radio.Indicator />
              {t('keeps.loginYes')}
            </Radio.Card>
            <Radio.Card value="no" className="login-choice">
              <Radio.Indicator />
              {t('keeps.loginNo')}
            </Radio.Card>
          </div>
        </Radio.Group>
      </div>
      <TroubleNote trouble={save.trouble} />
    </StepFrame>
  );
}
