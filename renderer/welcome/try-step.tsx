/**
 * The promise in thirty seconds: a practice task, a kill, and what the journal reports afterward.
 */
import { Button } from '@mantine/core';
import { FileText, Play, ShieldCheck, Zap } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { PRACTICE_AGENT, PRACTICE_SESSION } from '../../shared/practice';
import type { VerbOutput } from '../../shared/contract';
import { callVerb, useBridge, useCommand, useVerb } from '../bridge';
import { isFocusLost } from '../keys/keep-focus';
import { DiamondQuestion, ScriptMark } from '../parts/icons';
import { Chip, StateChip, Tile } from '../parts/state-chip';
import { isClosed } from '../parts/state-view';
import { StopButton } from '../parts/stop-button';
import { TroubleNote } from '../parts/texts';
import { hrefOf } from '../route';
import { killedDuring } from './practice-view';
import { PracticeCard } from './practice-card';
import { PracticeSteps } from './practice-steps';
import { ProviderDownCard } from './provider-down';
import { StepFrame } from './step-frame';
import { practiceCounts, practiceStory } from './welcome-view';
import type { Practice } from './welcome-view';
import type { StepProps } from './step-props';

export function TryStep({ onNext, onBack }: StepProps): ReactElement {
  const turns = useVerb('turns.list', { session: PRACTICE_SESSION, limit: 1 });
  const latest = turns.data?.turns[0];
  const shown = useVerb('turns.show', latest ? { turnId: latest.id } : undefined);
  const story = practiceStory(shown.data);
  const texts = storyTexts(story, shown.data === undefined ? undefined : killedDuring(shown.data));
  return (
    <StepFrame
      title={texts.title}
      sub={texts.sub}
      foot={t('try.foot')}
      nextLabel={t('welcome.finish')}
      isLater={story.kind === 'none'}
      onNext={onNext}
      onBack={onBack}
    >
      <TroubleNote
        trouble={
          turns.trouble?.code === 'SESSION_UNKNOWN' ? undefined : (turns.trouble ?? shown.trouble)
        }
      />
      <section className="card practice" aria-label={t('try.label')}>
        <div className="aligned flex-wrap practice-head">
          <span className="tile tone-kept">
            <ScriptMark />
          </span>
          <div className="grow">
            <span className="m5">{t('agent.demo')}</span>{' '}
            <span className="t3">{t('practice.does')}</span>
          </div>
          <span className="chip tone-line">{t('practice.chip')}</span>
          {latest ? <StateChip state={latest.state} /> : null}
          {latest === undefined || isClosed(latest.state) || story.kind === 'asks' ? null : (
            <StopButton turnId={latest.id} name={t('practice.session')} />
          )}
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

const storyTexts = (
  story: Practice,
  killedAt: number | undefined,
): { readonly title: string; readonly sub: string } => {
  switch (story.kind) {
    case 'none':
      return { title: t('try.title'), sub: t('try.sub') };
    case 'waits':
      return story.isDown
        ? { title: t('try.waitsDown'), sub: t('try.waitsDownSub') }
        : { title: t('try.runs'), sub: t('try.runsSub') };
    case 'runs':
      return { title: t('try.runs'), sub: t('try.runsSub') };
    case 'wentOn': {
      const [plain, atStep] = story.isDone
        ? (['try.wentOnOverSub', 'try.wentOnOverSubStep'] as const)
        : (['try.wentOnSub', 'try.wentOnSubStep'] as const);
      return {
        title: t('try.wentOn'),
        sub: killedAt === undefined ? t(plain) : t(atStep, { step: killedAt }),
      };
    }
    case 'finished':
      return { title: t('try.finished'), sub: t('try.finishedSub') };
    case 'asks':
      return {
        title: t('try.asks'),
        sub: t(story.isUnknown ? 'try.asksSub' : 'try.asksWordSub'),
      };
    case 'approval':
      return {
        title: t('try.approval'),
        sub: t(story.wasKilled ? 'try.approvalKilledSub' : 'try.approvalSub'),
      };
    case 'ended':
      return { title: t('try.ended'), sub: t('try.endedSub') };
  }
};

function Counts({ data }: { data: VerbOutput<'turns.show'> }): ReactElement {
  const recovery = useVerb('recovery.list', {});
  const approvals = useVerb('approvals.list', {});
  const open = useCommand('app.openFolder');
  const counts = practiceCounts(data.steps, data.turn.id, [
    ...(recovery.data?.decisions ?? []),
    ...(approvals.data?.requests ?? []),
  ]);
  return (
    <div className="aligned flex-wrap practice-counts">
      <span>
        <strong className="ink-kept">{counts.reused}</strong>{' '}
        {t('try.reused', { count: counts.reused })}
      </span>
      {/* This count below a row that ran again would look like a contradiction. */}
      {counts.askedAgain === 0 && counts.ranAgain > 0 ? null : (
        <span>
          <strong>{counts.askedAgain}</strong> {t('try.askedAgain')}
        </span>
      )}
      {counts.ranAgain === 0 ? null : (
        <span>
          <strong>{counts.ranAgain}</strong> {t('try.ranAgain')}
        </span>
      )}
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
        leftSection={<FileText className="icon small" />}
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
  const start = async (text: string): Promise<void> => {
    // The session may exist from an earlier try: only `send` decides whether it works.
    await callVerb(bridge, 'session.create', {
      key: PRACTICE_SESSION,
      title: t('practice.session'),
      agent: PRACTICE_AGENT,
    });
    const answer = await send.run({
      text,
      session: PRACTICE_SESSION,
      agent: PRACTICE_AGENT,
    });
    if (answer.ok) onStarted();
  };
  const isRunning =
    story.kind === 'runs' || story.kind === 'waits' || (story.kind === 'wentOn' && !story.isDone);
  const isWaiting = story.kind === 'asks' || story.kind === 'approval';
  const isTaken = isRunning || isWaiting;
  const decide = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    // It replaces the pressed card.
    if (isWaiting && isFocusLost()) decide.current?.focus();
  }, [isWaiting]);
  return (
    <>
      <div className="practice-actions">
        <PracticeCard
          name="start"
          tone="kept"
          icon={<Play className="icon filled" />}
          title={story.kind === 'none' ? t('try.start') : t('try.again')}
          about={t('try.startAbout')}
          isNext={story.kind === 'none'}
          isOff={isTaken || send.isBusy}
          onPress={() => void start(t('practice.task'))}
        />
        <PracticeCard
          name="kill"
          tone="outage"
          icon={<Zap className="icon" />}
          title={isKilling ? t('try.killing') : t('try.kill')}
          about={t('try.killAbout')}
          isOff={!(isRunning || story.kind === 'approval') || isKilling}
          onPress={() => {
            setKilling(true);
            // The window reopens here: the user who pressed it wants to see the result of the task.
            void callVerb(bridge, 'app.place', { route: '/welcome', isOwnKill: true })
              .then(() => kill.run({}))
              .then((answer) => {
                if (!answer.ok) setKilling(false);
              });
          }}
        >
          {story.kind === 'wentOn' ? (
            <Chip tone="ok" mark="check">
              {t('fate.done')}
            </Chip>
          ) : null}
        </PracticeCard>
        <ProviderDownCard />
        {isWaiting ? null : (
          <PracticeCard
            name="approval"
            tone="attention"
            icon={<ShieldCheck className="icon" />}
            title={t('try.approve')}
            about={t('try.approveAbout')}
            isOff={isTaken || send.isBusy}
            onPress={() => void start(t('practice.taskApproval'))}
          />
        )}
        {isWaiting && turnId !== undefined ? (
          <a className="practice-card" ref={decide} href={hrefOf({ kind: 'decisions', turnId })}>
            {story.kind === 'approval' ? (
              <Tile tone="attention" mark={ShieldCheck} />
            ) : (
              <span className="tile tone-ambiguous">
                <DiamondQuestion />
              </span>
            )}
            <span className="grow">
              <span className="m5 block">{t('session.decide')}</span>
              <span className="sm t3 block">{t('try.decideAbout')}</span>
            </span>
          </a>
        ) : null}
      </div>
      <TroubleNote trouble={send.trouble ?? kill.trouble} />
    </>
  );
}
