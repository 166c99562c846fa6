import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { useCommand, useVerb } from '../bridge';
import { SectionHead, TroubleNote } from '../parts/texts';
import { ToolsTable } from '../parts/tools-table';
import { ModeCards, offeredTools } from '../settings/recovery-section';
import type { Mode } from '../settings/recovery-section';
import { toggled } from '../settings/settings-view';
import { StepFrame } from './step-frame';
import type { StepProps } from './step-props';

/** The three modes, safe_only first, and the tools that Holdfast proposes to hold, preselected. */
export function RecoveryStep({ onNext, onBack }: StepProps): ReactElement {
  const mode = useVerb('config.get', { key: 'resilience.recovery.mode' });
  const list = useVerb('config.get', { key: 'resilience.recovery.side_effect_tools' });
  const tools = useVerb('tools.list', {});
  const save = useCommand('config.set');
  const [pickedMode, setPickedMode] = useState<Mode | undefined>(undefined);
  const [pickedTools, setPickedTools] = useState<readonly string[] | undefined>(undefined);
  const current = Array.isArray(list.data?.value) ? list.data.value.map(String) : [];
  const known = tools.data?.tools ?? [];
  const proposed = known
    .filter(
      ({ isProposed, listedAs }) =>
        isProposed && !listedAs.some((entry) => current.includes(entry)),
    )
    .map((tool) => tool.name);
  const selected = pickedTools ?? [...new Set([...current, ...proposed])];
  const shownMode = pickedMode ?? String(mode.data?.value ?? 'safe_only');

  const next = async (): Promise<void> => {
    if (pickedMode !== undefined) {
      const answer = await save.run({ key: 'resilience.recovery.mode', value: pickedMode });
      if (!answer.ok) return;
    }
    if (tools.data && list.data && selected.join('\n') !== current.join('\n')) {
      const answer = await save.run({
        key: 'resilience.recovery.side_effect_tools',
        value: [...selected],
      });
      if (!answer.ok) return;
    }
    onNext();
  };
  return (
    <StepFrame
      title={t('recoveryStep.title')}
      sub={t('recoveryStep.sub')}
      foot={t('recoveryStep.foot')}
      isBusy={save.isBusy}
      onNext={() => void next()}
      onBack={onBack}
    >
      <ModeCards value={shownMode} onChange={setPickedMode} />
      <section>
        <SectionHead title={t('setting.resilience.recovery.side_effect_tools')} />
        <div className="card">
          <ToolsTable
            tools={offeredTools(known, selected)}
            columns={['from', 'class', 'why', 'hold']}
            hold={{
              listed: selected,
              isDisabled: false,
              onToggle: (name, isOn) => setPickedTools(toggled(selected, name, isOn)),
            }}
          />
        </div>
      </section>
      <TroubleNote trouble={mode.trouble ?? list.trouble ?? tools.trouble ?? save.trouble} />
    </StepFrame>
  );
}
