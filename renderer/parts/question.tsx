/** A question before an act that cannot be undone: what it does, and its two answers. */
import { Button, Modal, type ButtonProps } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { t } from '../../shared/messages';
import type { WindowVerb } from '../../shared/contract';
import type { Command } from '../bridge';
import { TroubleNote } from './texts';

export function Question({
  isOpen = true,
  title,
  children,
  command,
  keep = t('common.cancel'),
  closeLabel = t('common.close'),
  confirm,
  look = { className: 'destructive' },
  onConfirm,
  onClose,
}: {
  isOpen?: boolean;
  title: string;
  children: ReactNode;
  /** Shows what went wrong with it, and that it runs. */
  command?: Pick<Command<WindowVerb>, 'isBusy' | 'trouble'>;
  /** The answer that changes nothing. It has the focus. */
  keep?: string;
  closeLabel?: string;
  confirm: string;
  /** How the button of the other answer looks. */
  look?: Pick<ButtonProps, 'className' | 'leftSection'>;
  onConfirm: () => void;
  onClose: () => void;
}): ReactElement {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={title}
      closeButtonProps={{ 'aria-label': closeLabel }}
    >
      {children}
      <TroubleNote trouble={command?.trouble} />
      <div className="dialog-actions">
        <Button data-autofocus onClick={onClose}>
          {keep}
        </Button>
        <Button {...look} loading={command?.isBusy ?? false} onClick={onConfirm}>
          {confirm}
        </Button>
      </div>
    </Modal>
  );
}
