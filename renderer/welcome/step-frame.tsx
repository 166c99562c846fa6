import { Button } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { t } from '../../shared/messages';

/** Heading, content, and the bottom bar with Back and Continue. */
export function StepFrame({
  title,
  sub,
  foot,
  nextLabel = t('welcome.next'),
  isBusy = false,
  isLater = false,
  onNext,
  onBack,
  children,
}: {
  title: string;
  sub: string;
  foot: string;
  nextLabel?: string;
  isBusy?: boolean;
  /** Something on the page must be done first. */
  isLater?: boolean;
  onNext: () => void;
  onBack?: (() => void) | undefined;
  children: ReactNode;
}): ReactElement {
  return (
    <>
      <h1 className="welcome-title" tabIndex={-1}>
        {title}
      </h1>
      <p className="welcome-sub">{sub}</p>
      <div className="stack welcome-stack">{children}</div>
      <footer className="aligned welcome-foot">
        <p className="sm t3 grow">{foot}</p>
        {onBack ? <Button onClick={onBack}>{t('welcome.back')}</Button> : null}
        <Button variant={isLater ? 'default' : 'filled'} loading={isBusy} onClick={onNext}>
          {nextLabel}
        </Button>
      </footer>
    </>
  );
}
