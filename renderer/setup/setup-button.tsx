import { Button } from '@mantine/core';
import { Plus } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { ReactElement } from 'react';

/** Loaded on first use, so that Home does not wait for it. */
const SetupSheet = lazy(async () => ({ default: (await import('./setup-sheet')).SetupSheet }));

/** Opens the setup sheet. */
export function SetupButton({
  label,
  size,
  isMain = false,
}: {
  label: string;
  size?: 'xs';
  /** Shown as the page's one filled button. */
  isMain?: boolean;
}): ReactElement {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        {...(size === undefined ? {} : { size })}
        {...(isMain
          ? {
              variant: 'filled',
              leftSection: <Plus className="icon small" />,
            }
          : {})}
        onClick={() => setOpen(true)}
      >
        {label}
      </Button>
      {isOpen ? (
        <Suspense>
          <SetupSheet onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
