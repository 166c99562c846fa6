import { Button } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import type { ReactElement } from 'react';

/** Loaded when it is opened: Home must not wait for it. */
const SetupSheet = lazy(async () => ({ default: (await import('./setup-sheet')).SetupSheet }));

/** Opens the set-up sheet. */
export function SetupButton({ label, size }: { label: string; size?: 'xs' }): ReactElement {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button {...(size === undefined ? {} : { size })} onClick={() => setOpen(true)}>
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
