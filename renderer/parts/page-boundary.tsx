/**
 * What a window shows in place of a page that could not be drawn, or whose file could not be loaded.
 * Without it the whole window would be blank, with no sign that the work continues.
 */
import { Button } from '@mantine/core';
import { RotateCcw, TriangleAlert } from 'lucide-react';
import { Component } from 'react';
import type { ReactNode } from 'react';
import { t } from '../../shared/messages';
import { oneLine } from './inert-view';
import { EmptyState } from './texts';

interface Props {
  /** Which page it is: the next one is drawn as if nothing had been. */
  readonly place: string;
  readonly children: ReactNode;
}

interface State {
  readonly place: string;
  readonly said: string | undefined;
}

export class PageBoundary extends Component<Props, State> {
  override state: State = { place: this.props.place, said: undefined };

  static getDerivedStateFromError(thrown: unknown): Partial<State> {
    return { said: thrown instanceof Error ? thrown.message : String(thrown) };
  }

  static getDerivedStateFromProps({ place }: Props, before: State): Partial<State> | null {
    return place === before.place ? null : { place, said: undefined };
  }

  override render(): ReactNode {
    const { said } = this.state;
    if (said === undefined) return this.props.children;
    return (
      <div className="page" role="alert">
        <h1>{t('pageError.title')}</h1>
        <EmptyState mark={<TriangleAlert size={28} />} sentence={t('pageError.about')}>
          <Button
            variant="filled"
            leftSection={<RotateCcw className="icon small" />}
            onClick={() => this.setState({ said: undefined })}
          >
            {t('pageError.again')}
          </Button>
          <p className="sm t3">{t('pageError.next')}</p>
          <details className="sm t3">
            <summary>{t('common.details')}</summary>
            <p className="mono wrap">{oneLine(said, 500)}</p>
          </details>
        </EmptyState>
      </div>
    );
  }
}
