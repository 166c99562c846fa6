/** Changes the rule of one tool in place; it holds for all agents, as the rules in Settings do. */
import { NativeSelect } from '@mantine/core';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { ConfigEntry, ToolView } from '../../shared/types';
import { useCommand } from '../bridge';
import { TroubleNote } from '../parts/texts';
import { POLICIES, policyOf, withPolicy } from './policy-view';

export function PolicySelect({
  tool,
  entries,
  onChanged,
}: {
  tool: ToolView;
  entries: readonly ConfigEntry[];
  onChanged: () => void;
}): ReactElement {
  const set = useCommand('config.set');
  const { rule, byMode } = policyOf(tool, entries);
  return (
    <>
      <NativeSelect
        size="xs"
        variant="unstyled"
        aria-label={t('toolRules.ruleOf', { name: tool.name })}
        disabled={set.isBusy}
        value={rule ?? ''}
        data={[
          { value: '', label: t(`policy.${byMode}`) },
          ...POLICIES.map((one) => ({ value: one, label: t(`policy.${one}`) })),
        ]}
        onChange={(event) => {
          const picked = POLICIES.find((one) => one === event.currentTarget.value);
          void set
            .run({ key: 'approvals.tools', value: withPolicy(tool, entries, picked) as never })
            .then(onChanged);
        }}
      />
      <TroubleNote trouble={set.trouble} />
    </>
  );
}
