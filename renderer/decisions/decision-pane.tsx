/**
 * An interrupted turn, as a question: the facts, the exact input, the plan, and what each answer
 * does. No filled button and no key: Holdfast does not suggest an answer that it does not know.
 */
import { ActionIcon, Button, Menu, Tooltip } from '@mantine/core';
import { Ban, Check, Ellipsis, RefreshCw, Trash2 } from 'lucide-react';
import { useId, useState } from 'react';
import type { ReactElement } from 'react';
import { Fact } from '../parts/fact';
import { t } from '../../shared/messages';
import type { Answer } from '../../shared/contract';
import type { ReplayDecision, ResumePlan } from '../../shared/types';
import { useCommand } from '../bridge';
import { useNow } from '../clock';
import { ExactInput } from '../parts/exact-input';
import { toolName } from '../parts/tool-name';
import { Chip, Mark, PurityIcon, Tile } from '../parts/state-chip';
import { Address } from '../parts/address';
import { At, Inert, Outdated, TroubleNote } from '../parts/texts';
import { clockText } from '../parts/time-view';
import { hrefOf } from '../route';
import {
  checkFirst,
  isPlainlyUnknown,
  planLines,
  stepOffers,
  turnOffers,
  whyAsked,
} from './decision-view';
import type { Answering, Offer } from './decision-view';
import { LeftProcess } from './left-process';
import { OfferButton } from './offer-button';
import { StepsBefore } from './steps-before';
import './decisions.css';
import { agentTitle } from '../agents/agent-titles';

interface DecisionPaneProps {
  readonly decision: ReplayDecision;
  /** Called after an answer is on disk, with a sentence about what was done. */
  readonly onSettled: (said: string) => void;
  /** Fetches the facts again after they turned out to be outdated. */
  readonly onStale: () => void;
  /** Below the turn's own page the link to it is left out. */
  readonly isOnTurnPage?: boolean;
}

const SAID = {
  confirm: 'decide.saidConfirm',
  skip: 'decide.saidSkip',
  resume: 'decide.saidResume',
  discard: 'decide.saidDiscard',
} as const satisfies Record<Answering['kind'], string>;

const KIND_TILE = {
  held: { tone: 'ambiguous', mark: 'diamond' },
  stale: { tone: 'ambiguous', mark: 'diamond' },
  parked: { tone: 'muted', mark: 'pause' },
  limit: { tone: 'attention', mark: 'pause' },
} as const satisfies Record<ReplayDecision['kind'], object>;

export function DecisionPane({
  decision,
  onSettled,
  onStale,
  isOnTurnPage = false,
}: DecisionPaneProps): ReactElement {
  const resume = useCommand('recovery.resume');
  const confirm = useCommand('recovery.confirmStep');
  const skip = useCommand('recovery.skipStep');
  const discard = useCommand('recovery.discard');
  const [isStale, setStale] = useState(false);
  const commands = [resume, confirm, skip, discard];
  const isBusy = commands.some((command) => command.isBusy);
  const trouble = commands
    .map((command) => command.trouble)
    .find((given) => given !== undefined && given.code !== 'REQUEST_STALE');

  const answer = async (answering: Answering): Promise<void> => {
    setStale(false);
    const { turnId, requestHash } = decision;
    const run = (): Promise<Answer<unknown>> => {
      switch (answering.kind) {
        case 'resume':
          return resume.run({ turnId, requestHash });
        case 'discard':
          return discard.run({ turnId, requestHash });
        case 'confirm':
          return confirm.run({ turnId, requestHash, step: answering.step });
        case 'skip':
          return skip.run({ turnId, requestHash, step: answering.step });
      }
    };
    const answered = await run();
    if (answered.ok) onSettled(t(SAID[answering.kind]));
    else if (answered.code === 'REQUEST_STALE') {
      setStale(true);
      onStale();
    }
  };

  const nowMs = useNow('minute');
  const offers = turnOffers(decision);
  const [only] = decision.ambiguous.length === 1 ? decision.ambiguous : [];
  const onlyOffers = only === undefined ? undefined : stepOffers(only);
  return (
    <div className="decision">
      <div className="flex decision-head">
        <Tile tone={KIND_TILE[decision.kind].tone} mark={KIND_TILE[decision.kind].mark} />
        <div className="grow">
          <div className="xs t3">{t(`decide.kind.${decision.kind}`)}</div>
          <Inert as="h2" className="decision-question" text={decision.question} />
        </div>
        <Chip tone="attention" mark="clock">
          {t('decide.since')} <At atMs={decision.createdAtMs} />
        </Chip>
        <Inert
          as="p"
          className="t2 wrap decision-why"
          text={whyAsked(decision, (atMs) => clockText(atMs, nowMs, undefined, true))}
        />
      </div>
      {isStale ? <Outdated>{t('decide.stale')}</Outdated> : null}
      <TroubleNote trouble={trouble} />

      {/* Above the input, which may fill the pane, because whether it still runs matters most. */}
      {decision.processes?.map((process) => (
        <LeftProcess key={process.inboxId} process={process} onDone={onStale} isInQuestion />
      ))}

      {decision.ambiguous.map((step) => {
        const { confirm: confirmOffer, skip: skipOffer } = stepOffers(step);
        return (
          <section
            key={step.index}
            className="decision-step"
            aria-label={t('decide.stepLabel', { step: step.index, tool: toolName(step.tool) })}
          >
            <div className="sm t3 decision-input-label">{t('decide.input')}</div>
            <ExactInput
              args={step.args}
              isTruncated={step.isTruncated}
              label={t('decide.inputOf', { step: step.index, tool: toolName(step.tool) })}
            />
            <dl className="facts decision-facts">
              <Fact name={t('decide.tool')}>
                <Inert className="mono" text={toolName(step.tool)} />{' '}
                <span className="t3">
                  {t('decide.stepNumber', { step: step.index })}
                  {step.isListed && !isPlainlyUnknown(decision) ? `, ${t('decide.listed')}` : ''}
                </span>
              </Fact>
              <Fact name={t('decide.effect')}>
                <span className="decision-effect">
                  <PurityIcon purity={step.purity} withLabel />
                </span>
                <span className="t2">: {t(`decide.effect.${step.purity}`)}</span>
              </Fact>
              {only === undefined ? (
                <Fact name={t('decide.started')}>
                  <At atMs={step.startedAtMs} withSeconds />
                  <span className="t3">, {t('decide.noAnswer')}</span>
                </Fact>
              ) : null}
              <Fact name={t('decide.checkFirst')}>{checkFirst(step)}</Fact>
            </dl>
            {only === undefined ? (
              <div className="decision-actions">
                <OfferButton
                  words={confirmOffer}
                  icon={<Check className="icon small" />}
                  isDisabled={isBusy}
                  onClick={() => void answer(confirmOffer.answering)}
                />
                <StepMenu offer={skipOffer} isBusy={isBusy} onAnswer={answer} />
              </div>
            ) : null}
          </section>
        );
      })}

      {decision.ambiguous.length === 0 && decision.listedTools.length > 0 ? (
        <p className="t2">
          {t('decide.listedStarted')}{' '}
          {decision.listedTools.map((tool, index) => (
            <span key={tool}>
              {index > 0 ? ', ' : ''}
              <Inert className="mono" text={tool} />
            </span>
          ))}
        </p>
      ) : null}

      <dl className="facts decision-facts">
        <Fact name={t('decide.task')} text={decision.promptStart} />
        {decision.folder === undefined ? null : (
          <Fact name={t('question.folder')} className="mono">
            <Address text={decision.folder} />
          </Fact>
        )}
        <Fact name={t('decide.agent')}>
          <Inert text={agentTitle(decision.agent)} />
          {isOnTurnPage ? null : (
            <>
              {', '}
              <a href={hrefOf({ kind: 'turn', turnId: decision.turnId })}>
                {t('decide.openTurn', { id: decision.turnId })}
              </a>
            </>
          )}
        </Fact>
      </dl>

      <BeforeYouPress plan={decision.plan} unknownTool={only?.tool} />
      {isOnTurnPage ? null : (
        <StepsBefore turnId={decision.turnId} beforeStep={decision.ambiguous[0]?.index} />
      )}

      <div className="decision-actions decision-foot">
        {onlyOffers === undefined ? null : (
          <OfferButton
            words={onlyOffers.confirm}
            icon={<Check className="icon small" />}
            isDisabled={isBusy}
            onClick={() => void answer(onlyOffers.confirm.answering)}
          />
        )}
        <OfferButton
          words={offers.resume}
          icon={<RefreshCw className="icon small" />}
          isDisabled={isBusy}
          onClick={() => void answer(offers.resume.answering)}
        />
        <OfferButton
          words={offers.discard}
          icon={<Trash2 className="icon small" />}
          look="destructive"
          isDisabled={isBusy}
          onClick={() => void answer(offers.discard.answering)}
        />
        {onlyOffers === undefined ? null : (
          <StepMenu offer={onlyOffers.skip} isBusy={isBusy} onAnswer={answer} />
        )}
      </div>
    </div>
  );
}

interface OfferProps {
  readonly offer: Offer;
  readonly isBusy: boolean;
  readonly onAnswer: (answering: Answering) => Promise<void>;
}

/** Rarely the right choice, so it is in a menu: skip the step. */
function StepMenu({ offer, isBusy, onAnswer }: OfferProps): ReactElement {
  const id = useId();
  return (
    <Menu>
      <Menu.Target>
        <Tooltip label={t('common.more')}>
          <ActionIcon
            variant="default"
            size={30}
            aria-label={t('decide.moreAnswers')}
            disabled={isBusy}
          >
            <Ellipsis className="icon small" />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<Ban className="icon small" />}
          aria-describedby={id}
          onClick={() => void onAnswer(offer.answering)}
        >
          {offer.label}
          <div id={id} className="sm t3 offer-in-menu">
            {offer.effect}
          </div>
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

const LINE_MARK = {
  reused: { tone: 'kept', mark: 'mark' },
  reissued: { tone: 'reissued', mark: 'loop' },
  answer: { tone: 'ambiguous', mark: 'diamond' },
  run: { tone: 'working', mark: 'play' },
} as const;

/** Rows of the plan that are shown; further ones are only counted. */
const SHOWN_STEPS = 60;

/** The plan: steps that are reused, re-read, decided by the answer, or run. S4-05. */
function BeforeYouPress({
  plan,
  unknownTool,
}: {
  plan: ResumePlan;
  unknownTool: string | undefined;
}): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const shown = plan.steps.slice(0, SHOWN_STEPS);
  const rest = plan.steps.length - shown.length;
  return (
    <section className="before" aria-label={t('plan.title')}>
      <h3>{t('plan.title')}</h3>
      <ul className="before-lines">
        {planLines(plan, unknownTool).map((line) => (
          <li key={line.kind}>
            <span className={`fate ink-${LINE_MARK[line.kind].tone}`}>
              <Mark name={LINE_MARK[line.kind].mark} className="icon small" />
              {line.label}
            </span>
            <span className="sm t2">{line.about}</span>
          </li>
        ))}
      </ul>
      {plan.steps.length === 0 ? null : (
        <>
          <Button
            size="xs"
            variant="subtle"
            aria-expanded={isOpen}
            onClick={() => setOpen((open) => !open)}
          >
            {isOpen ? t('plan.hideSteps') : t('plan.showSteps', { count: plan.steps.length })}
          </Button>
          {isOpen ? (
            <div className="scroll-x">
              <table className="grid">
                <thead>
                  <tr>
                    <th>{t('table.step')}</th>
                    <th>{t('table.tool')}</th>
                    <th>{t('table.what')}</th>
                    <th>{t('table.why')}</th>
                  </tr>
                </thead>
                <tbody>
                  {shown.map((step) => (
                    <tr key={step.index}>
                      <td className="t3">{step.index}</td>
                      <td>
                        <span className="flex">
                          <PurityIcon purity={step.purity} />
                          <Inert className="mono" text={toolName(step.tool)} />
                        </span>
                      </td>
                      <td className="nw">{t(`stepAction.${step.action}`)}</td>
                      <Inert as="td" className="t2 wrap" text={step.reason} />
                    </tr>
                  ))}
                </tbody>
              </table>
              {rest > 0 ? <p className="sm t3">{t('plan.more', { count: rest })}</p> : null}
            </div>
          ) : null}
        </>
      )}
    </section>
  );
}
