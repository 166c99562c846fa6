/**
 * A folder, typed or chosen in the system's dialog. It shows immediately where the folder is and
 * whether it exists.
 */
import { Button, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { useCommand, useVerb } from '../bridge';
import { TroubleNote } from './texts';

export function FolderField({
  folder,
  error,
  onFolder,
}: {
  folder: string;
  /** An error that needs no lookup, such as a missing value. */
  error?: string | undefined;
  onFolder: (folder: string) => void;
}): ReactElement {
  const choose = useCommand('app.choosePath');
  const typed = folder.trim();
  const found = useVerb('agents.folder', typed === '' ? undefined : { folder: typed });
  const state = found.data?.state;
  const pick = async (): Promise<void> => {
    const answer = await choose.run({ what: 'folder' });
    if (answer.ok && answer.value.path !== undefined) onFolder(answer.value.path);
  };
  const shown =
    state === 'relative'
      ? t('found.folderWrong')
      : state === 'missing'
        ? t('folder.missing', { folder: found.data?.path ?? typed })
        : error;
  return (
    <div className="folder-field">
      <TextInput
        label={t('agents.folder')}
        description={
          state === 'found' && found.data?.path !== typed
            ? found.data?.path
            : t('agent.folderAbout')
        }
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        value={folder}
        maxLength={4096}
        error={shown}
        onChange={(event) => onFolder(event.currentTarget.value)}
      />
      <Button className="folder-choose" loading={choose.isBusy} onClick={() => void pick()}>
        {t('folder.choose')}
      </Button>
      <TroubleNote trouble={choose.trouble} />
    </div>
  );
}
