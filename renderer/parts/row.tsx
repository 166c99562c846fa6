import type { ReactElement, ReactNode } from 'react';

/** A row of a card: mark, name with a secondary part or line, and content at the end. */
export function Row({
  lead,
  name,
  quiet,
  second,
  children,
  href,
}: {
  lead?: ReactNode;
  name: ReactNode;
  /** After the name, same line. */
  quiet?: ReactNode;
  /** Below the name. */
  second?: ReactNode;
  children?: ReactNode;
  href?: string;
}): ReactElement {
  return (
    <li className={second === undefined ? 'row' : 'row tall'}>
      {lead}
      <div className="row-text">
        <div className="ellipsis">
          {href ? (
            <a className="row-link m5" href={href}>
              {name}
            </a>
          ) : (
            <span className="m5">{name}</span>
          )}{' '}
          {quiet === undefined ? null : <span className="t3 sm">{quiet}</span>}
        </div>
        {second === undefined ? null : <div className="sm t3 ellipsis">{second}</div>}
      </div>
      {children}
    </li>
  );
}
