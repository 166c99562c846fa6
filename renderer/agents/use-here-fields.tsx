import { TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { FolderField as PickedFolder } from '../parts/folder-field';
import { folderProblem, nameProblem } from './found-view';
import './agents.css';

/** Name and folder of an agent that is used here; both are checked as they are typed. */
export function UseHereFields({
  name,
  folder,
  taken,
  isChecked,
  onName,
  onFolder,
}: {
  name: string;
  folder: string;
  taken: readonly string[];
  /** True once the user has tried to continue: missing fields are reported from then on. */
  isChecked: boolean;
  onName: (name: string) => void;
  onFolder: (folder: string) => void;
}): ReactElement {
  const wrongName = nameProblem(name, taken);
  return (
    <div className="use-here-fields">
      <TextInput
        label={t('agent.name')}
        value={name}
        maxLength={64}
        error={wrongName === undefined ? undefined : t(wrongName as 'found.nameWrong')}
        onChange={(event) => onName(event.currentTarget.value)}
      />
      <FolderField folder={folder} isChecked={isChecked} onFolder={onFolder} />
    </div>
  );
}

/** Only the folder: a saved agent has its name. */
export function FolderField({
  folder,
  isChecked,
  onFolder,
}: {
  folder: string;
  isChecked: boolean;
  onFolder: (folder: string) => void;
}): ReactElement {
  const wrongFolder = folderProblem(folder);
  return (
    <PickedFolder
      folder={folder}
      error={
        wrongFolder === undefined || (folder === '' && !isChecked)
          ? undefined
          : t(wrongFolder as 'found.folderWrong')
      }
      onFolder={onFolder}
    />
  );
}
