import { Textarea } from '@mantine/core';
import type { ComponentProps, ReactElement } from 'react';
import { t } from '../../shared/messages';

/** The note for an agent with a denial, here and on other computers. */
export const AnswerNote = (props: ComponentProps<typeof Textarea>): ReactElement => (
  <Textarea
    autosize
    minRows={1}
    maxRows={6}
    maxLength={4000}
    label={t('approval.note')}
    placeholder={t('approval.noteHint')}
    {...props}
  />
);
