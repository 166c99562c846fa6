/** Renders the notices of `toasts.ts`. Loaded with the first one. */
import '@mantine/notifications/styles.layer.css';
import { Button } from '@mantine/core';
import { Notifications, notifications } from '@mantine/notifications';
import { Check, TriangleAlert, Undo2 } from 'lucide-react';
import { useEffect } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { drawToasts, MAX_TOASTS, TOAST_MS, type Toast } from './toasts';

const COLOURS = { kept: 'kept', muted: 'var(--hf-muted)', outage: 'var(--hf-outage)' } as const;

let last = 0;

function draw(given: Toast): void {
  const { message, title, tone, undo, onGone, key } = given;
  last += 1;
  const id = `${key ?? 'toast'}-${String(last)}`;
  const isTrouble = tone === 'outage';
  notifications.show({
    id,
    ...(title === undefined ? {} : { title }),
    message: (
      <span className="flex">
        <span className="grow wrap">{message}</span>
        {undo === undefined ? null : (
          <Button
            size="xs"
            variant="subtle"
            leftSection={<Undo2 className="icon small" />}
            onClick={() => {
              undo();
              notifications.hide(id);
            }}
          >
            {t('toast.undo')}
          </Button>
        )}
      </span>
    ),
    icon: isTrouble ? <TriangleAlert className="icon small" /> : <Check className="icon small" />,
    color: COLOURS[tone],
    withBorder: true,
    // An error stays until the user closes it.
    autoClose: isTrouble ? false : TOAST_MS,
    closeButtonProps: { 'aria-label': t('common.close') },
    ...(onGone === undefined ? {} : { onClose: () => onGone() }),
  });
}

export function ToastHost(): ReactElement {
  useEffect(() => drawToasts(draw), []);
  return (
    <Notifications position="bottom-right" limit={MAX_TOASTS} containerWidth={340} zIndex={300} />
  );
}
