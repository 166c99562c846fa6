/** Scopes of a permission: one row for each, with what it covers. */
import { Radio } from '@mantine/core';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { ApprovalView } from '../../shared/types';
import { scopeRows } from './approval-view';
import type { Scope } from './approval-view';

export function ScopeRows({
  request,
  isFar = false,
  scope,
  isDisabled,
  onPick,
}: {
  readonly request: Pick<ApprovalView, 'tool' | 'covers'>;
  /** The decision is on another computer, and a rule would be one of its settings. */
  readonly isFar?: boolean;
  readonly scope: Scope;
  readonly isDisabled: boolean;
  readonly onPick: (scope: Scope) => void;
}): ReactElement {
  return (
    <Radio.Group label={t('scope.title')} value={scope} onChange={onPick} className="scope">
      <div className="scope-rows">
        {scopeRows(request, isFar).map((row) => (
          <Radio
            key={row.scope}
            value={row.scope}
            label={row.label}
            description={row.about}
            disabled={isDisabled}
            size="xs"
            className={row.scope === scope ? 'scope-row on' : 'scope-row'}
          />
        ))}
      </div>
    </Radio.Group>
  );
}
