/** The steps of a run as a timeline with a lane per phase, and the selected step. */
import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { VerbOutput } from '../../shared/contract';
import type { RunView } from '../../shared/types';
import { useVerb } from '../bridge';
import { useNow } from '../clock';
import { StepTimeline } from '../charts/step-timeline';
import { planTimeline } from '../charts/step-timeline-plan';
import { SectionHead } from '../parts/texts';
import { hrefOf } from '../route';
import { StepPane } from '../turn/step-pane';
import { withAsks } from '../turn/turn-story-view';
import { useAsks } from '../turn/use-asks';
import { familyOf, runTimeline } from './run-phases-view';

const NO_RUNS: readonly RunView[] = [];

export function RunSteps({
  run,
  data,
}: {
  run: RunView;
  data: VerbOutput<'turns.show'>;
}): ReactElement | null {
  const all = useVerb('runs.list', { includeEnded: true, limit: 1000 });
  const agents = useVerb('agents.list', {});
  const nowMs = useNow(run.state === 'running' ? 'second' : 'minute');
  const [selected, setSelected] = useState<number | undefined>(undefined);
  const runs = all.data?.runs ?? NO_RUNS;
  const asks = useAsks(data);
  const plan = useMemo(() => {
    // Only the active run can ask; a child's own call is also in its parent's timeline.
    const drawn = withAsks(data, asks.requests, asks.tools);
    return planTimeline(runTimeline(drawn, run, familyOf(run, runs), nowMs));
  }, [data, asks.requests, asks.tools, run, runs, nowMs]);
  const open = (index: number): void => {
    const isAsk = plan.rows.some(
      ({ last }) => last.step.index === index && last.step.asks === true,
    );
    if (isAsk && run.awaiting !== undefined)
      window.location.hash = hrefOf({ kind: 'decisions', itemId: run.awaiting.inboxId });
    else setSelected((now) => (now === index ? undefined : index));
  };
  const isScripted =
    agents.data?.agents.find((agent) => agent.name === run.agent)?.executor === 'practice';
  if (plan.rows.length === 0) return null;
  const row = plan.rows.find(({ calls }) => calls.some((call) => call.step.index === selected));
  const call = row?.calls.find((one) => one.step.index === selected);
  return (
    <section className="stack run-steps">
      <SectionHead title={t('runs.steps')} count={plan.rows.length} />
      <StepTimeline
        zoomKey={`run ${String(run.id)}`}
        plan={plan}
        isScripted={isScripted}
        openStep={selected}
        onOpen={open}
      />
      {row && call ? (
        <StepPane
          call={call}
          others={row.calls.filter((one) => one !== call).map((one) => one.step)}
          isScripted={isScripted}
          onPick={setSelected}
          onClose={() => {
            setSelected(undefined);
            document.querySelector<HTMLElement>('.tl-body-scroll[tabindex]')?.focus();
          }}
        />
      ) : null}
    </section>
  );
}
