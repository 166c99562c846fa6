/** The first start: four steps in a row, each of which can be skipped. */
import type { StepProps } from './step-props';
import { Button } from '@mantine/core';
import { Check } from 'lucide-react';
import { useEffect, useState, type ReactElement } from 'react';
import { t } from '../../shared/messages';
import { PRACTICE_SESSION } from '../../shared/practice';
import { useCommand, useVerb } from '../bridge';
import { isFocusLost } from '../keys/keep-focus';
import { HMark } from '../parts/icons';
import { TroubleNote, SectionHead } from '../parts/texts';
import { goTo } from '../route';
import { AgentsStep } from './agents-step';
import { KeepsStep } from './keeps-step';
import { TryStep } from './try-step';
import { STEPS, type StepName } from './welcome-view';
import { ToolsTable } from '../parts/tools-table';
import { ModeCards, offeredTools, type Mode } from '../settings/recovery-section';
import { toggled } from '../settings/settings-view';
import { StepFrame } from './step-frame';
import './welcome.css';
import '../settings/settings.css';

/** The three modes, safe_only first, and the tools that Holdfast proposes to hold, preselected. */
function RecoveryStep({ onNext, onBack }: StepProps): ReactElement {
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

export function WelcomePage(): ReactElement {
  // A practice turn on disk means that the practice started earlier, perhaps before a crash:
  // continue there.
  const practice = useVerb('turns.list', { session: PRACTICE_SESSION, limit: 1 });
  const [picked, setPicked] = useState<StepName | undefined>(undefined);
  const [seen, setSeen] = useState<readonly StepName[]>([]);
  const done = useCommand('config.set');
  const step = picked ?? ((practice.data?.turns.length ?? 0) > 0 ? 'try' : 'keeps');
  // The pressed button was removed with its step.
  useEffect(() => {
    if (picked !== undefined && isFocusLost())
      document.querySelector<HTMLElement>('.welcome-title')?.focus();
  }, [picked]);
  if (practice.isLoading && picked === undefined) return <main className="stack welcome" />;
  const at = STEPS.indexOf(step);
  const leave = (): void => {
    void done.run({ key: 'app.first_start_done', value: true }).then((answer) => {
      if (answer.ok) goTo({ kind: 'home' });
    });
  };
  const show = (name: StepName): void => {
    setSeen((before) => [...before, step]);
    setPicked(name);
  };
  const next = (): void => {
    const following = STEPS[at + 1];
    if (following) show(following);
    else leave();
  };
  const previous = STEPS[at - 1];
  return (
    <div className="stack welcome">
      <header className="aligned welcome-top">
        <span className="aligned brand-mark">
          <HMark size={18} className="ink-kept" />
          {t('app.name')}
        </span>
        <ol className="welcome-steps" aria-label={t('welcome.steps')}>
          {STEPS.map((name, index) => {
            const mark = name === step ? 'now' : seen.includes(name) ? 'done' : 'ahead';
            return (
              <li key={name} aria-current={mark === 'now' ? 'step' : undefined}>
                <button
                  type="button"
                  className="bare aligned welcome-step"
                  onClick={() => show(name)}
                >
                  <span className={`welcome-dot ${mark}`} aria-hidden="true">
                    {mark === 'done' ? <Check className="icon small" /> : index + 1}
                  </span>
                  {t(`welcome.step.${name}`)}
                  {mark === 'done' ? <span className="sr-only">{t('welcome.seen')}</span> : null}
                </button>
              </li>
            );
          })}
        </ol>
        <Button variant="subtle" loading={done.isBusy} onClick={leave}>
          {t('welcome.skip')}
        </Button>
      </header>
      <main className="stack welcome-main">
        <div className="welcome-page">
          <TroubleNote trouble={done.trouble} />
          <Step name={step} onNext={next} {...(previous ? { onBack: () => show(previous) } : {})} />
        </div>
      </main>
    </div>
  );
}

function Step({ name, ...props }: StepProps & { name: StepName }): ReactElement {
  switch (name) {
    case 'keeps':
      return <KeepsStep {...props} />;
    case 'agents':
      return <AgentsStep {...props} />;
    case 'recovery':
      return <RecoveryStep {...props} />;
    case 'try':
      return <TryStep {...props} />;
  }
}
