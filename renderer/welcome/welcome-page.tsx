/** The first start: four steps in a line, each of which can be skipped. */
import type { StepProps } from './step-props';
import { Button } from '@mantine/core';
import { Check } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { PRACTICE_SESSION } from '../../shared/practice';
import { useCommand, useVerb } from '../bridge';
import { isFocusLost } from '../keys/keep-focus';
import { HMark } from '../parts/icons';
import { TroubleNote } from '../parts/texts';
import { goTo } from '../route';
import { AgentsStep } from './agents-step';
import { KeepsStep } from './keeps-step';
import { RecoveryStep } from './recovery-step';
import { TryStep } from './try-step';
import { STEPS } from './welcome-view';
import type { StepName } from './welcome-view';
import './welcome.css';
import '../settings/settings.css';

export function WelcomePage(): ReactElement {
  // A practice turn on disk means that the story was under way, perhaps before a kill: go on there.
  const practice = useVerb('turns.list', { session: PRACTICE_SESSION, limit: 1 });
  const [picked, setPicked] = useState<StepName | undefined>(undefined);
  const done = useCommand('config.set');
  const step = picked ?? ((practice.data?.turns.length ?? 0) > 0 ? 'try' : 'keeps');
  // The button that was pressed has gone with its step.
  useEffect(() => {
    if (picked !== undefined && isFocusLost())
      document.querySelector<HTMLElement>('.welcome-title')?.focus();
  }, [picked]);
  if (practice.isLoading && picked === undefined) return <main className="welcome" />;
  const at = STEPS.indexOf(step);
  const leave = (): void => {
    void done.run({ key: 'app.first_start_done', value: true }).then((answer) => {
      if (answer.ok) goTo({ kind: 'home' });
    });
  };
  const next = (): void => {
    const following = STEPS[at + 1];
    if (following) setPicked(following);
    else leave();
  };
  const previous = STEPS[at - 1];
  return (
    <div className="welcome">
      <header className="welcome-top">
        <span className="brand-mark">
          <HMark size={18} className="ink-kept" />
          {t('app.name')}
        </span>
        <ol className="welcome-steps" aria-label={t('welcome.steps')}>
          {STEPS.map((name, index) => (
            <li key={name} aria-current={index === at ? 'step' : undefined}>
              <button type="button" className="welcome-step" onClick={() => setPicked(name)}>
                <span
                  className={`welcome-dot${index === at ? ' now' : index < at ? ' done' : ''}`}
                  aria-hidden="true"
                >
                  {index < at ? <Check className="icon small" /> : index + 1}
                </span>
                {t(`welcome.step.${name}`)}
                {index < at ? <span className="sr-only">{t('welcome.seen')}</span> : null}
              </button>
            </li>
          ))}
        </ol>
        <Button variant="subtle" loading={done.isBusy} onClick={leave}>
          {t('welcome.skip')}
        </Button>
      </header>
      <main className="welcome-main">
        <div className="welcome-page">
          <TroubleNote trouble={done.trouble} />
          <Step
            name={step}
            onNext={next}
            {...(previous ? { onBack: () => setPicked(previous) } : {})}
          />
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
