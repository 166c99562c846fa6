/** Details needed only for a log or a support case: collapsed, with a copy button. */
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { CopyText, Inert } from './texts';

export function IdDetails({
  ids,
}: {
  ids: readonly { readonly label: string; readonly value: string; readonly about?: string }[];
}): ReactElement {
  return (
    <details className="id-details sm">
      <summary>{t('common.details')}</summary>
      <dl>
        {ids.map(({ label, value, about }) => (
          <div key={label}>
            <dt className="t3">{label}</dt>
            <dd>
              <Inert as="code" className="wrap" text={value} />
              <CopyText text={value} label={t('common.copyOf', { name: label })} />
              {about === undefined ? null : <span className="t3">{about}</span>}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
