/** Channels: how each stands, a test message, and the settings that make them. */
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { ChannelView } from '../../shared/channel-model';
import type { ConfigEntry } from '../../shared/model';
import { useVerb } from '../bridge';
import { useNow } from '../clock';
import { Chip } from '../parts/state-chip';
import { CommandLine, Inert, NoteLine, SectionHead, TroubleNote } from '../parts/texts';
import { CHANNEL_EXAMPLES } from './channel-examples';
import { channelLook } from './channels-model';
import { SettingRows } from './setting-row';
import { SECTION_KEYS } from './settings-model';
import { TestButton } from './test-button';

export function ChannelsSection({ entries }: { entries: readonly ConfigEntry[] }): ReactElement {
  const list = useVerb('channels.list', {});
  const channels = list.data?.channels ?? [];
  const hears = channels.some((one) => one.inboundUrl !== undefined);
  return (
    <div className="stack settings-stack narrow">
      <section aria-label={t('channels.list')}>
        <SectionHead title={t('channels.list')} count={list.data ? String(channels.length) : ''} />
        <TroubleNote trouble={list.trouble} />
        <ul className="card rows">
          {channels.map((channel) => (
            <ChannelRow key={channel.name} channel={channel} />
          ))}
        </ul>
        {hears && list.data ? (
          <p className="sm t3 wrap">{t('channels.token', { file: list.data.tokenPath })}</p>
        ) : null}
      </section>
      <SettingRows keys={SECTION_KEYS.channels} entries={entries} />
      <section aria-label={t('channels.examples')}>
        <SectionHead title={t('channels.examples')} count="" />
        <p className="sm t2 wrap">{t('channels.examplesAbout')}</p>
        <ul className="card rows">
          {CHANNEL_EXAMPLES.map(({ kind, json }) => (
            <li key={json} className="row">
              <div className="row-text">
                <div className="m5">{t(`channels.kind.${kind}`)}</div>
                <CommandLine command={json} />
              </div>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

function ChannelRow({ channel }: { channel: ChannelView }): ReactElement {
  const look = channelLook(channel, useNow('second'));
  return (
    <li className="row" aria-label={channel.name}>
      <div className="row-text">
        <div className="flex flex-wrap">
          <span className="m5">
            <Inert text={channel.name} />
          </span>
          <Chip tone={look.tone}>{look.state}</Chip>
          {channel.isDefault ? <span className="sm t3">{t('channels.default')}</span> : null}
        </div>
        <div className="sm t2 wrap">{look.facts.join(' · ')}</div>
        {channel.inboundUrl === undefined ? null : (
          <div className="sm t2 wrap">
            {t('channels.hears')} <span className="mono">{channel.inboundUrl}</span>
          </div>
        )}
        {look.trouble === undefined ? null : (
          <NoteLine tone="attention">
            <Inert text={look.trouble} />
          </NoteLine>
        )}
      </div>
      {look.canTest ? <TestButton verb="channels.test" name={channel.name} /> : null}
    </li>
  );
}
