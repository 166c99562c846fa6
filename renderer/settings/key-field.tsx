/** The field for a key, which is never shown again. */
import { Button, Checkbox, PasswordInput } from '@mantine/core';
import { useState } from 'react';
import type { FormEvent, ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { KeyView } from '../../shared/types';
import { useCommand } from '../bridge';
import { Inert, NoteLine, TroubleNote } from '../parts/texts';
import { keySentence } from './settings-view';

/** Write-only: the typed key is discarded as soon as it is stored. */
export function KeyField({
  verb,
  name,
  held,
  label,
  onSaved,
}: {
  verb: 'provider.setKey' | 'channels.setKey';
  name: string;
  held: KeyView;
  /** What the service calls it, if it is not a provider's API key. */
  label?: string;
  onSaved: () => void;
}): ReactElement {
  const save = useCommand(verb);
  const [key, setKey] = useState('');
  const [isAllowed, setAllowed] = useState(false);
  const { storage, present, problem } = held;
  const mayConsent =
    storage === 'session-only' ||
    storage === 'plaintext-consented' ||
    save.trouble?.code === 'SECRET_NOT_PERSISTED';
  const isFromElsewhere = storage === 'environment' || storage === 'file';
  const keep = async (next: string | null): Promise<void> => {
    const answer = await save.run({
      name,
      key: next,
      ...(next !== null && isAllowed ? { allowPlaintext: true } : {}),
    });
    if (!answer.ok) return;
    setKey('');
    onSaved();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void keep(key);
  };
  return (
    <form className="stack key-field" onSubmit={submit}>
      {label === undefined ? null : <p className="sm m5">{label}</p>}
      <p className={storage === 'plaintext-consented' ? 'sm ink-attention' : 'sm t2'}>
        {present || label === undefined ? keySentence(held) : t('key.notSet')}
      </p>
      {problem === undefined ? null : (
        <NoteLine tone="attention">
          <Inert text={problem} />
        </NoteLine>
      )}
      {isFromElsewhere ? null : (
        <>
          <div className="flex flex-wrap">
            <PasswordInput
              className="grow"
              value={key}
              onChange={(event) => setKey(event.currentTarget.value)}
              aria-label={t('key.fieldOf', { what: label ?? t('key.label'), name })}
              placeholder={present ? t('key.replace') : (label ?? t('key.enter'))}
              autoComplete="off"
              visibilityToggleButtonProps={{ 'aria-label': t('key.show') }}
            />
            <Button type="submit" disabled={key === ''} loading={save.isBusy}>
              {t(label === undefined ? 'key.save' : 'key.saveOther')}
            </Button>
            {present ? (
              <Button variant="subtle" onClick={() => void keep(null)}>
                {t(label === undefined ? 'key.remove' : 'key.removeOther')}
              </Button>
            ) : null}
          </div>
          {mayConsent ? (
            <Checkbox
              className="consent"
              checked={isAllowed}
              onChange={(event) => setAllowed(event.currentTarget.checked)}
              label={t('key.allowPlaintext')}
              description={t('key.allowPlaintextAbout')}
            />
          ) : null}
        </>
      )}
      <TroubleNote trouble={save.trouble} />
    </form>
  );
}
