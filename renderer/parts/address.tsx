/** Text with addresses and paths in it: a line ends between their parts, not inside a word of them. */
import { Fragment } from 'react';
import type { ReactElement } from 'react';
import { Inert } from './texts';

/** Each part with the separators after it. */
const PARTS = /[^/:@?&=]*[/:@?&=]+|[^/:@?&=]+$/g;

export function Address({ text }: { text: string }): ReactElement {
  return (
    <>
      {(text.match(PARTS) ?? []).map((part, at) => (
        <Fragment key={at}>
          {at === 0 ? null : <wbr />}
          <Inert text={part} />
        </Fragment>
      ))}
    </>
  );
}
