/** When you are notified and when not, and the channels that reach you elsewhere. */
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { ConfigEntry } from '../../shared/types';
import { useVerb } from '../bridge';
import { useNow } from '../clock';
import { NotificationTest } from '../parts/notification-test';
import { Chip } from '../parts/state-chip';
import { Inert, NoteLine, SectionHead, TroubleNote } from '../parts/texts';
import { channelLook } from './channels-view';
import { SettingGroups } from './setting-rows';
import { TestButton } from './test-button';

export function NotificationsSection({
  entries,
}: {
  entries: readonly ConfigEntry[];
}): ReactElement {
  const info = useVerb('app.info', {});
  return (
    <div className="stack settings-stack narrow">
      {info.data && !info.data.notifications.available ? (
        <NoteLine tone="attention">
          <Inert text={info.data.notifications.reason || t('notifications.none')} />
        </NoteLine>
      ) : null}
      <SettingGroups section="notifications" entries={entries} />
      <NotificationTest />
      <Elsewhere />
    </div>
  );
}

/** The other channels: whether each would reach you. */
function Elsewhere(): ReactElement {
  const list = useVerb('channels.list', {});
  const nowMs = useNow('minute');
  const channels = (list.data?.channels ?? []).filter(
    ({ kind, speaks }) => speaks && kind !== 'window',
  );
  const title = t('notifications.elsewhere');
  return (
    <section aria-label={title}>
      <SectionHead title={title}>
        <a className="end sm" href="#/channels">
          {t(channels.length === 0 ? 'notifications.noChannels' : 'notifications.channels')}
        </a>
      </SectionHead>
      <p className="sm t2 group-about">{t('notifications.elsewhere.about')}</p>
      <TroubleNote trouble={list.trouble} />
      {channels.length === 0 ? null : (
        <ul className="card rows">
          {channels.map((channel) => {
            const look = channelLook(channel, nowMs);
            return (
              <li
                key={channel.name}
                className="aligned flex-wrap setting"
                aria-label={channel.name}
              >
                <div className="grow flex flex-wrap">
                  <Inert className="m5" text={channel.name} />
                  <span className="sm t3">{t(`channels.kind.${channel.kind}`)}</span>
                  <Chip tone={look.tone} mark={look.mark}>
                    {look.state}
                  </Chip>
                </div>
                {look.canTest ? <TestButton verb="channels.test" name={channel.name} /> : null}
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}
