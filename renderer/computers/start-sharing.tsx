/** Computers page while nothing is shared: what sharing is, and both ways to start it. DW-28 */
import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { HostOutlook, ShareStatus } from '../../shared/types/share';
import { useCommand, useVerb } from '../bridge';
import { Inert, SectionHead, TroubleNote } from '../parts/texts';
import { doingText, hostLines, hostWay } from './start-sharing-view';

export function StartSharing({
  status,
  onDone,
}: {
  status: ShareStatus;
  onDone: () => void;
}): ReactElement {
  const said = doingText(status);
  const isBusy = said !== undefined;
  return (
    <div className="page computers-page">
      <h1>{t('computers.off.title')}</h1>
      <p className="sub computers-about">{t('computers.off')}</p>
      {/* Always rendered, so that screen readers announce its changes. */}
      <p className="sm t2 computers-doing" role="status">
        {said}
      </p>
      <HostHere isBusy={isBusy} onDone={onDone} />
      <JoinOther isBusy={isBusy} onDone={onDone} />
    </div>
  );
}

interface Started {
  /** One of both is in progress, from here or from a terminal. */
  readonly isBusy: boolean;
  readonly onDone: () => void;
}

function HostHere({ isBusy, onDone }: Started): ReactElement {
  const outlook = useVerb('share.outlook', {});
  const host = useCommand('share.host');
  const [listen, setListen] = useState('');
  const [address, setAddress] = useState('');
  const way = outlook.data === undefined ? undefined : hostWay(outlook.data);
  const start = (input: { address?: string; listen?: string; fetch?: boolean }): void => {
    void host.run(input).then(onDone);
  };
  const onThis = (): void => {
    const at = listen.trim();
    start({ ...(at === '' ? {} : { listen: at }), ...(way === 'fetch' ? { fetch: true } : {}) });
  };
  return (
    <section aria-label={t('computers.host')}>
      <SectionHead title={t('computers.host')} />
      <div className="card padded stack computers-form">
        <TroubleNote trouble={outlook.trouble} />
        {outlook.data === undefined ? (
          <p className="sm t2">{outlook.trouble ? null : t('computers.host.checking')}</p>
        ) : (
          <Outlook outlook={outlook.data} />
        )}
        {way === 'none' ? (
          <div>
            <Button size="xs" loading={outlook.isLoading} onClick={outlook.reload}>
              {t('computers.host.look')}
            </Button>
          </div>
        ) : (
          <>
            <TextInput
              label={t('computers.host.listen')}
              description={t('computers.host.listenAbout')}
              placeholder="desk.local"
              maxLength={300}
              value={listen}
              onChange={(event) => setListen(event.currentTarget.value)}
            />
            <div>
              <Button
                variant="filled"
                disabled={way === undefined || isBusy}
                loading={host.isBusy}
                onClick={onThis}
              >
                {t(way === 'fetch' ? 'computers.host.fetch' : 'computers.host')}
              </Button>
            </div>
          </>
        )}
        <TroubleNote trouble={host.trouble} />
        <details className="computers-server" open={way === 'none' ? true : undefined}>
          <summary>{t('computers.server')}</summary>
          <div className="stack computers-form">
            <PasswordInput
              label={t('computers.server.address')}
              description={t('computers.server.about')}
              placeholder="postgres://user:password@host:5432/name"
              autoComplete="off"
              maxLength={1_000}
              value={address}
              onChange={(event) => setAddress(event.currentTarget.value)}
            />
            <div>
              <Button
                disabled={address.trim() === '' || isBusy}
                loading={host.isBusy}
                onClick={() => start({ address: address.trim() })}
              >
                {t('computers.server.use')}
              </Button>
            </div>
          </div>
        </details>
      </div>
    </section>
  );
}

const Outlook = ({ outlook }: { outlook: HostOutlook }): ReactElement => (
  <>
    {hostLines(outlook).map(({ text, isRefusal }) => (
      <Inert key={text} as="p" className={isRefusal ? 'm5' : 'sm t2'} text={text} />
    ))}
  </>
);

function JoinOther({ isBusy, onDone }: Started): ReactElement {
  const join = useCommand('share.join');
  const [line, setLine] = useState('');
  return (
    <section aria-label={t('computers.join')}>
      <SectionHead title={t('computers.join')} />
      <form
        className="card padded stack computers-form"
        onSubmit={(event) => {
          event.preventDefault();
          void join.run({ invitation: line.trim() }).then(onDone);
        }}
      >
        <PasswordInput
          label={t('computers.join.line')}
          description={t('computers.join.about')}
          placeholder="holdfast-share:…"
          autoComplete="off"
          maxLength={20_000}
          value={line}
          onChange={(event) => setLine(event.currentTarget.value)}
        />
        <div>
          <Button type="submit" disabled={line.trim() === '' || isBusy} loading={join.isBusy}>
            {t('computers.join.do')}
          </Button>
        </div>
        <TroubleNote trouble={join.trouble} />
      </form>
    </section>
  );
}
