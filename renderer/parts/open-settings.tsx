import { Button } from '@mantine/core';
import { ArrowUpRight } from 'lucide-react';
import type { ReactElement } from 'react';
import { useCommand } from '../bridge';
import { TroubleNote } from './texts';

/** Opens the settings window. */
export function OpenSettings({ label }: { label: string }): ReactElement {
  const open = useCommand('app.openSettings');
  return (
    <>
      <Button
        onClick={() => void open.run({})}
        rightSection={<ArrowUpRight className="icon small" aria-hidden="true" />}
      >
        {label}
      </Button>
      <TroubleNote trouble={open.trouble} />
    </>
  );
}
