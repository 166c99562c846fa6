import { Button } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { t } from '../../shared/messages';
import type { Trouble } from '../bridge';
import { TroubleNote } from './texts';

/** The end of a form: what went wrong, the button that sends it, and Cancel. */
export const FormEnd = ({
  trouble,
  isBusy,
  isReady,
  label,
  onCancel,
  remove,
  about,
  children,
}: {
  trouble: Trouble | undefined;
  isBusy: boolean;
  isReady: boolean;
  /** Of the button that sends it. */
  label: string;
  onCancel: () => void;
  /** Removes what the form is about; at the other end of the line. */
  remove?: ReactNode;
  /** In a line of its own. */
  about?: string;
  /** After Cancel. */
  children?: ReactNode;
}): ReactElement => (
  <div className="form-end">
    <TroubleNote trouble={trouble} />
    <Button type="submit" loading={isBusy} disabled={!isReady}>
      {label}
    </Button>
    <Button variant="subtle" onClick={onCancel}>
      {t('common.cancel')}
    </Button>
    {children}
    {remove === undefined ? null : (
      <>
        <span className="grow" />
        {remove}
      </>
    )}
    {about === undefined ? null : <p className="sm t3">{about}</p>}
  </div>
);
