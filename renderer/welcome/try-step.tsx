/** The promise in thirty seconds: a practice task, a kill, and what the journal says afterwards. */
import { Button } from '@mantine/core';
import { FileText, Play, Zap } from 'lucide-react';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { VerbOutput } from '../../shared/contract';
import { callVerb, useBridge, useCommand, useVerb } from '../bridge';
import { useNow } from '../clock';
import { toolName } from '../parts/tool-name';
import { ScriptMark } from '../parts/icons';
import { FateTag, Mark, PurityIcon, StateChip } from '../parts/state-chip';
import { Inert, TroubleNote } from '../parts/texts';
import { durationText } from '../parts/time-model';
import { hrefOf } from '../route';
import { barLook, turnRows } from '../turn/turn-model';
import '../turn/turn.css';
import { StepFrame } from './step-frame';
import { PRACTICE_AGENT, PRACTICE_SESSION, practiceCounts, practiceStory } from './welcome-model';
import type { Practice } from './welcome-model';
import type { StepProps } from './welcome-page';

export function TryStep({ onNext, onBack }: StepProps): ReactElement {
  const turns = useVerb('turns.list', { session: PRACTICE_SESSION, limit: 1 });
  const latest = turns.data?.turns[0];
  const shown = useVerb('turns.show', latest ? { turnId: latest.id } : undefined);
  const story = practiceStory(shown.data);
  const texts = storyTexts(story);
  return (
    <StepFrame
      title={texts.title}
      sub={texts.sub}
      foot={t('try.foot')}
      nextLabel={t('welcome.finish')}
      onNext={onNext}
      onBack={onBack}
    >
      <TroubleNote
        trouble={
          turns.trouble?.code === 'SESSION_UNKNOWN' ? undefined : (turns.trouble ?? shown.trouble)
        }
      />
      <section className="card practice" aria-label={t('try.label')}>
        <div className="practice-head">
          <span className="tile tone-kept">
            <ScriptMark />
          </span>
          <div className="grow">
            <span className="m5">{t('practice.name')}</span>{' '}
            <span className="t3">{t('practice.does')}</span>
          </div>
          <span className="chip tone-line">{t('practice.chip')}</span>
          {latest ? <StateChip state={latest.state} /> : null}
        </div>
        {shown.data ? (
          <PracticeSteps data={shown.data} />
        ) : (
          <p className="practice-empty t3">{t('try.empty')}</p>
        )}
        {shown.data ? <Counts data={shown.data} /> : null}
      </section>
      <PracticeActions story={story} onStarted={turns.reload} turnId={latest?.id} />
    </StepFrame>
  );
}

const storyTexts = (story: Practice): { readonly title: string; readonly sub: string } => {
  switch (story.kind) {
    case 'none':
      return { title: t('try.title'), sub: t('try.sub') };
    case 'waits':
    case 'runs':
      return { title: t('try.runs'), sub: t('try.runsSub') };
    case 'wentOn':
      return {
        title: t('try.wentOn'),
        sub:
          story.downMs === undefined
            ? t('try.wentOnSub')
            : t('try.wentOnSubTime', { duration: durationText(story.downMs) }),
      };
    case 'finished':
      return { title: t('try.finished'), sub: t('try.finishedSub') };
    case 'asks':
      return { title: t('try.asks'), sub: t('try.asksSub') };
    case 'ended':
      return { title: t('try.ended'), sub: t('try.endedSub') };
  }
};

/** The steps as they are on disk, with a bar each; a stop stands between them. */
function PracticeSteps({ data }: { data: VerbOutput<'turns.show'> }): ReactElement {
  const nowMs = useNow(data.turn.state === 'running' ? 'second' : 'minute');
  return (
    <ol className="practice-steps" aria-label={t('turn.steps.label')}>
      {turnRows(data.steps, data.stops, nowMs).map((row) =>
        row.kind === 'stop' ? (
          <li key={`stop-${row.stop.stoppedAtMs}`} className="practice-stop">
            <span className="fate ink-outage">
              <Mark name="stop" className="icon small" />
              {t('try.killed')}
            </span>
            {row.downMs === undefined ? null : (
              <span className="fate ink-kept">
                {t('try.backAfter', { duration: durationText(row.downMs) })}
              </span>
            )}
          </li>
        ) : (
          <li key={row.step.index} className="practice-step">
            <PurityIcon purity={row.step.purity} isScripted />
            <span className="mono ellipsis">
              {row.step.purity === 'llm' ? (
                t('purity.scripted')
              ) : (
                <Inert text={toolName(row.step.tool)} />
              )}
            </span>
            <span className="c-bar">
              <span
                className={`bar p-${row.step.purity} look-${barLook(row.step)}`}
                style={{ left: `${row.bar.leftPercent}%`, width: `${row.bar.widthPercent}%` }}
                aria-hidden="true"
              />
            </span>
            <span className="sm">
              <FateTag step={row.step} />
            </span>
          </li>
        ),
      )}
    </ol>
  );
}

function Counts({ data }: { data: VerbOutput<'turns.show'> }): ReactElement | null {
  const recovery = useVerb('recovery.list', {});
  const open = useCommand('app.openFolder');
  const counts = practiceCounts(data.steps, data.turn.id, recovery.data?.decisions ?? []);
  if (data.stops.length === 0 && data.turn.state !== 'completed') return null;
  return (
    <div className="practice-counts">
      <span>
        <strong className="ink-kept">{counts.reused}</strong>{' '}
        {t('try.reused', { count: counts.reused })}
      </span>
      <span>
        <strong>{counts.askedAgain}</strong> {t('try.askedAgain')}
      </span>
      <span>
        <strong>{counts.writes}</strong> {t('try.writes', { count: counts.writes })}
      </span>
      <span>
        <strong>{counts.questions}</strong> {t('try.questions', { count: counts.questions })}
      </span>
      <span className="grow" />
      <Button
        size="xs"
        variant="subtle"
        leftSection={<FileText className="icon small" aria-hidden="true" />}
        onClick={() => void open.run({ which: 'practice' })}
      >
        {t('try.showFile')}
      </Button>
      <TroubleNote trouble={open.trouble} />
    </div>
  );
}

function PracticeActions({
  story,
  turnId,
  onStarted,
}: {
  story: Practice;
  turnId: number | undefined;
  onStarted: () => void;
}): ReactElement {
  const bridge = useBridge();
  const send = useCommand('send');
  const kill = useCommand('practice.kill');
  const [isKilling, setKilling] = useState(false);
  const start = async (): Promise<void> => {
    // The session may be there from an earlier try: only `send` decides whether it works.
    await callVerb(bridge, 'session.create', {
      key: PRACTICE_SESSION,
      title: t('practice.session'),
      agent: PRACTICE_AGENT,
    });
    const answer = await send.run({
      text: t('practice.task'),
      session: PRACTICE_SESSION,
      agent: PRACTICE_AGENT,
    });
    if (answer.ok) onStarted();
  };
  const isRunning =
    story.kind === 'runs' || story.kind === 'waits' || (story.kind === 'wentOn' && !story.isDone);
  return (
    <>
      <div className="practice-actions">
        <Button
          className="practice-button"
          loading={send.isBusy}
          disabled={isRunning || story.kind === 'asks'}
          leftSection={<Play className="icon small filled" aria-hidden="true" />}
          onClick={() => void start()}
        >
          {story.kind === 'none' ? t('try.start') : t('try.again')}
        </Button>
        <Button
          className="practice-button destructive"
          disabled={!isRunning || isKilling}
          leftSection={<Zap className="icon small" aria-hidden="true" />}
          aria-describedby="kill-about"
          onClick={() => {
            setKilling(true);
            void kill.run({}).then((answer) => {
              if (!answer.ok) setKilling(false);
            });
          }}
        >
          {isKilling ? t('try.killing') : t('try.kill')}
        </Button>
        {story.kind === 'asks' && turnId !== undefined ? (
          <Button component="a" href={hrefOf({ kind: 'decisions', turnId })}>
            {t('session.decide')}
          </Button>
        ) : null}
        <p id="kill-about" className="sm t3 grow">
          {t('try.killAbout')}
        </p>
      </div>
      <TroubleNote trouble={send.trouble ?? kill.trouble} />
    </>
  );
}
