import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';

/** Opens and closes the form of one entry of a list. */
export const EditButton = ({
  name,
  isEditing,
  onEdit,
}: {
  name: string;
  isEditing: boolean;
  onEdit: () => void;
}): ReactElement => (
  <Button
    size="xs"
    aria-expanded={isEditing}
    aria-label={t(isEditing ? 'common.closeOf' : 'common.editOf', { name })}
    onClick={onEdit}
  >
    {isEditing ? t('common.close') : t('common.edit')}
  </Button>
);
