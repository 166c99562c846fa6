/** A list and the pane of its selected row, with a movable divider. */
import { Splitter } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ReactElement, ReactNode } from 'react';
import { t } from '../../shared/messages';
import { readSplit, splitKey, writeSplit } from './split-sizes';
import './split.css';

export function SplitView({
  name,
  list,
  pane,
  paneLabel,
}: {
  /** The key under which the divider's position is remembered. */
  name: string;
  list: ReactNode;
  pane: ReactNode;
  paneLabel: string;
}): ReactElement {
  // The list is narrower in a small window, and that width is stored separately.
  const isNarrow = useMediaQuery('(max-width: 59.9375em)', false, {
    getInitialValueInEffect: false,
  });
  const isMiddle = useMediaQuery('(max-width: 69.9375em)', false, {
    getInitialValueInEffect: false,
  });
  const width = isNarrow ? 'narrow' : isMiddle ? 'middle' : 'wide';
  const key = splitKey(name, isNarrow);
  return (
    <Splitter
      key={`${key} ${width}`}
      className="card split"
      withHandle={false}
      lineSize={1}
      step="1rem"
      shiftStep="4rem"
      attributes={{ handle: { 'aria-label': t('split.handle') } }}
      onResizeEnd={(_at, sizes) => writeSplit(key, sizes[0])}
    >
      <Splitter.Pane
        defaultSize={readSplit(key, width)}
        min="11rem"
        max="32rem"
        className="split-list"
      >
        {list}
      </Splitter.Pane>
      <Splitter.Pane defaultSize={100} className="split-pane-frame">
        <article className="split-pane" aria-label={paneLabel}>
          {pane}
        </article>
      </Splitter.Pane>
    </Splitter>
  );
}
