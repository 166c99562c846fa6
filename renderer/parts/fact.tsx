import type { ReactElement, ReactNode } from 'react';
import { Inert } from './texts';

/** Label and value in a `<dl>`; omitted if there is no value. */
export function Fact(props: {
  name: string;
  className?: string | undefined;
  /** The value as external text. */
  text?: string | undefined;
  children?: ReactNode;
}): ReactElement | null {
  const { name, className, text, children } = props;
  const value = text === undefined ? children : <Inert text={text} />;
  return value === undefined || value === null ? null : (
    <>
      <dt>{name}</dt>
      <dd className={className}>{value}</dd>
    </>
  );
}
