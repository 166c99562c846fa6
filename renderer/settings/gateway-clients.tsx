/**
 * Who may use the gateway: each client with its last answer, creating another token, and removing a
 * client.
 */
import { Button, CopyButton, TextInput } from '@mantine/core';
import { useState, type FormEvent, type ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { GatewayClient } from '../../shared/types/gateway';
import { useCommand, useVerb } from '../bridge';
import { useNow } from '../clock';
import { oneLine } from '../parts/inert-view';
import { RemoveButton } from '../parts/remove-button';
import { Inert, TroubleNote } from '../parts/texts';
import { ageText } from '../parts/time-view';

const hex = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/**
 * A new token of 32 random bytes, and the SHA-256 of its text. The token is generated in this
 * window, where the user sees it: only the hash is sent (I5).
 */
async function newClientToken(): Promise<{
  readonly token: string;
  readonly tokenHash: string;
}> {
  const token = hex(crypto.getRandomValues(new Uint8Array(32)));
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token));
  return { token, tokenHash: hex(new Uint8Array(digest)) };
}

/** The client of the token in the token file. */
const DEFAULT = 'default';

export function GatewayClients(): ReactElement {
  const list = useVerb('gateway.clients', {});
  const status = useVerb('gateway.status', {});
  return (
    <section className="stack gateway-clients" aria-label={t('gateway.clients')}>
      <h3 className="m5">{t('gateway.clients')}</h3>
      <TroubleNote trouble={list.trouble ?? status.trouble} />
      <ul className="card rows">
        {(list.data?.clients ?? []).map((client) => (
          <ClientRow
            key={client.name}
            client={client}
            tokenPath={status.data?.tokenPath}
            onRevoked={list.reload}
          />
        ))}
      </ul>
      <AddClient onAdded={list.reload} />
    </section>
  );
}

function ClientRow({
  client,
  tokenPath,
  onRevoked,
}: {
  client: GatewayClient;
  tokenPath: string | undefined;
  onRevoked: () => void;
}): ReactElement {
  const nowMs = useNow('minute');
  const name = oneLine(client.name, 64);
  const isDefault = client.name === DEFAULT;
  const { lastAnswerAtMs } = client;
  return (
    <li className="row" aria-label={name}>
      <div className="row-text">
        <Inert as="div" className="m5" text={client.name} />
        <div className="sm t2">
          {lastAnswerAtMs === undefined
            ? t('gateway.noAnswer')
            : t('gateway.lastAnswer', { age: ageText(lastAnswerAtMs, nowMs) })}
        </div>
        {isDefault && tokenPath !== undefined ? (
          <div className="sm t3 wrap">{t('gateway.tokenFile', { file: tokenPath })}</div>
        ) : null}
      </div>
      <RemoveButton
        verb="gateway.revokeClient"
        name={client.name}
        words={{
          button: t('gateway.revoke'),
          label: t('gateway.revokeOf', { name }),
          title: t('gateway.revokeTitle', { name }),
          goes: t(isDefault ? 'gateway.revokeDefaultGoes' : 'gateway.revokeGoes'),
          stays: t('gateway.revokeStays'),
          confirm: t('gateway.revokeConfirm'),
        }}
        onRemoved={onRevoked}
      />
    </li>
  );
}

/**
 * The token is shown until the next one is created or the user leaves the page, and never again.
 */
function AddClient({ onAdded }: { onAdded: () => void }): ReactElement {
  const add = useCommand('gateway.addClient');
  const [name, setName] = useState('');
  const [made, setMade] = useState<{ name: string; token: string } | undefined>(undefined);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const { token, tokenHash } = await newClientToken();
    const answer = await add.run({ name: name.trim(), tokenHash });
    if (!answer.ok) return;
    setMade({ ...answer.value, token });
    setName('');
    onAdded();
  };
  return (
    <form className="stack key-field" onSubmit={(event) => void submit(event)}>
      <div className="flex flex-wrap">
        <TextInput
          className="grow"
          aria-label={t('gateway.name')}
          placeholder={t('gateway.name')}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button type="submit" disabled={name.trim() === ''} loading={add.isBusy}>
          {t('gateway.add')}
        </Button>
      </div>
      <TroubleNote trouble={add.trouble} />
      <div role="status">
        {made === undefined ? null : (
          <>
            <p className="sm">{t('gateway.token', { name: oneLine(made.name, 64) })}</p>
            <div className="flex flex-wrap">
              <code className="mono wrap grow">{made.token}</code>
              <CopyButton value={made.token}>
                {({ copied, copy }) => (
                  <Button size="xs" onClick={copy}>
                    {copied ? t('common.copied') : t('gateway.copy')}
                  </Button>
                )}
              </CopyButton>
            </div>
          </>
        )}
      </div>
    </form>
  );
}
