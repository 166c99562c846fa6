/** Channels: the status of each, a test message, and the settings that define them. */
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { ChannelView } from '../../shared/types/channels';
import type { ConfigEntry } from '../../shared/types';
import { useVerb } from '../bridge';
import { useNow } from '../clock';
import { storedUnder } from '../parts/named-values';
import { Chip } from '../parts/state-chip';
import { Inert, NoteLine, SectionHead, TroubleNote } from '../parts/texts';
import { AddInPlace } from './add-in-place';
import { ChannelForm } from './channel-form';
import { CHANNEL_FORMS, type ChannelInput } from './channel-fields';
import { channelLook } from './channels-view';
import { EditButton } from './edit-button';
import { KeyField } from './key-field';
import { LinkButtons } from './link-button';
import { SettingGroups } from './setting-rows';
import { TestButton } from './test-button';

export function ChannelsSection({ entries }: { entries: readonly ConfigEntry[] }): ReactElement {
  const list = useVerb('channels.list', {});
  const [editing, setEditing] = useState<string | undefined>(undefined);
  const channels = list.data?.channels ?? [];
  const hears = channels.some((one) => one.inboundUrl !== undefined);
  const close = (): void => setEditing(undefined);
  const done = (): void => {
    close();
    list.reload();
  };
  return (
    <div className="stack settings-stack narrow">
      <section aria-label={t('channels.list')}>
        <SectionHead title={t('channels.list')} count={list.data ? String(channels.length) : ''} />
        <TroubleNote trouble={list.trouble} />
        <ul className="card rows">
          {channels.map((channel) => (
            <ChannelRow
              key={channel.name}
              channel={channel}
              stored={storedChannel(entries, channel.name)}
              isEditing={editing === channel.name}
              onEdit={() => setEditing(editing === channel.name ? undefined : channel.name)}
              onSaved={done}
            />
          ))}
        </ul>
        {hears && list.data ? (
          <p className="sm t3 wrap">{t('channels.token', { file: list.data.tokenPath })}</p>
        ) : null}
      </section>
      <AddInPlace
        title={t('channelForm.new')}
        label={t('channelForm.open')}
        isOpen={editing === ''}
        onOpen={() => setEditing('')}
      >
        <ChannelForm onCancel={close} onSaved={done} />
      </AddInPlace>
      <SettingGroups section="channels" entries={entries} />
    </div>
  );
}

const storedChannel = (entries: readonly ConfigEntry[], name: string): ChannelInput | undefined =>
  storedUnder(entries, 'channels.own', name) as ChannelInput | undefined;

function ChannelRow({
  channel,
  stored,
  isEditing,
  onEdit,
  onSaved,
}: {
  channel: ChannelView;
  /** Its settings; absent if it was not defined in the settings. */
  stored: ChannelInput | undefined;
  isEditing: boolean;
  onEdit: () => void;
  onSaved: () => void;
}): ReactElement {
  const look = channelLook(channel, useNow('second'));
  return (
    <li className="padded-row" aria-label={channel.name}>
      <div className="flex flex-wrap">
        <div className="grow">
          <div className="flex flex-wrap">
            <Inert className="m5" text={channel.name} />
            <Chip tone={look.tone} mark={look.mark}>
              {look.state}
            </Chip>
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
        {stored?.kind === 'webpush' && channel.state === 'ready' ? (
          <LinkButtons name={channel.name} people={stored.decide?.people ?? []} />
        ) : null}
        {look.canTest ? <TestButton verb="channels.test" name={channel.name} /> : null}
        {stored === undefined ? null : (
          <EditButton name={channel.name} isEditing={isEditing} onEdit={onEdit} />
        )}
      </div>
      {isEditing && stored !== undefined ? (
        <>
          {channel.key === undefined ? null : (
            <KeyField
              verb="channels.setKey"
              name={channel.name}
              held={channel.key}
              label={t(CHANNEL_FORMS[stored.kind].key?.label ?? 'channelForm.key.webhook')}
              onSaved={onSaved}
            />
          )}
          <ChannelForm name={channel.name} stored={stored} onCancel={onEdit} onSaved={onSaved} />
        </>
      ) : null}
    </li>
  );
}
