/** Marks and chips: always a shape and a label, never color alone. */
import {
  Ban,
  Check,
  Clock,
  Globe,
  Minus,
  Pencil,
  Play,
  RefreshCw,
  Scissors,
  ShieldCheck,
  Sparkles,
  Square,
  SquareArrowOutUpRight,
  TriangleAlert,
  X,
} from 'lucide-react';
import { Tooltip } from '@mantine/core';
import type { ComponentType, ReactElement, ReactNode } from 'react';
import { t } from '../../shared/messages';
import type { Purity, SessionView, StepView, TurnState } from '../../shared/types';
import { DiamondQuestion, HMark, PauseMark, PureMark, ScriptMark } from './icons';
import { purityLabel, shownSession, shownStep, shownTurn } from './state-view';
import type { MarkName, Shown, Tone } from './state-view';

const MARKS: Readonly<Record<MarkName, ComponentType<{ className: string }>>> = {
  check: Check,
  play: Play,
  clock: Clock,
  shield: ShieldCheck,
  triangle: TriangleAlert,
  cross: X,
  diamond: DiamondQuestion,
  loop: RefreshCw,
  skip: Ban,
  pause: PauseMark,
  mark: HMark,
  stop: Square,
  cut: Scissors,
  dash: Minus,
};

/** Draws a mark by its name. */
export function Mark({
  name,
  className = 'icon',
}: {
  name: MarkName;
  className?: string;
}): ReactElement {
  const Drawing = MARKS[name];
  const isFilled = name === 'play' || name === 'stop';
  return <Drawing className={isFilled ? `${className} filled` : className} />;
}

/** A mark and a label on the tinted background of a state. */
export function Chip({
  tone,
  mark,
  children,
}: {
  tone: Tone;
  mark?: MarkName;
  children: ReactNode;
}): ReactElement {
  return (
    <span className={`chip tone-${tone}`}>
      {mark ? <Mark name={mark} /> : null}
      <span className="ellipsis" title={typeof children === 'string' ? children : undefined}>
        {children}
      </span>
    </span>
  );
}

const ShownChip = ({ shown }: { shown: Shown }): ReactElement => (
  <Chip tone={shown.tone} mark={shown.mark}>
    {t(shown.label as 'state.running')}
  </Chip>
);

/** State of a turn. */
export const StateChip = ({ state }: { state: TurnState }): ReactElement => (
  <ShownChip shown={shownTurn(state)} />
);
/** State of a session. */
export const SessionChip = ({ status }: { status: SessionView['status'] }): ReactElement => (
  <ShownChip shown={shownSession(status)} />
);

/** Class and outcome of a step as colored text without background, for tables. */
export function OutcomeTag({
  step,
}: {
  step: Pick<StepView, 'state' | 'fate' | 'drift' | 'reusedCount' | 'approvedBy' | 'again'> & {
    readonly asks?: true;
  };
}): ReactElement {
  const shown = shownStep(step);
  return (
    <span className={`fate nw ink-${shown.tone}`}>
      <Mark name={shown.mark} className="icon small" />
      {t(shown.label as 'fate.done')}
      {step.approvedBy === undefined ? null : (
        <span className="t3">, {t('approval.approvedByYou')}</span>
      )}
    </span>
  );
}

/** A mark, or an icon, on a tinted background at the start of a row. */
export function Tile({
  tone,
  mark,
}: {
  tone: Tone;
  mark: MarkName | ComponentType<{ className: string }>;
}): ReactElement {
  const Icon = mark;
  return (
    <span className={`tile tone-${tone}`}>
      {typeof Icon === 'string' ? <Mark name={Icon} /> : <Icon className="icon" />}
    </span>
  );
}
export const TurnTile = ({ state }: { state: TurnState }): ReactElement => {
  const shown = shownTurn(state);
  return <Tile tone={shown.tone} mark={shown.mark} />;
};

const PURITY_MARKS: Readonly<Record<Purity, ComponentType<{ className: string }>>> = {
  pure: PureMark,
  world: Globe,
  llm: Sparkles,
  side_effect: Pencil,
  external: SquareArrowOutUpRight,
};

/** The mark of an effect class; its name is next to it or in the tooltip. S4-32. */
export function PurityIcon({
  purity,
  isScripted = false,
  withLabel = false,
}: {
  purity: Purity;
  /** The demo agent's answers are scripted: never the mark of a model. */
  isScripted?: boolean;
  withLabel?: boolean;
}): ReactElement {
  const isScript = isScripted && purity === 'llm';
  const label = isScript ? t('purity.scripted') : t(purityLabel(purity) as 'purity.pure');
  const Drawing = isScript ? ScriptMark : PURITY_MARKS[purity];
  const drawing = <Drawing className="icon small" />;
  if (withLabel) {
    return (
      <span className="purity nw">
        {drawing}
        {label}
      </span>
    );
  }
  return (
    <Tooltip label={label}>
      <span className="purity" role="img" aria-label={label}>
        {drawing}
      </span>
    </Tooltip>
  );
}

/** Marks a step that may have happened twice. */
export function DuplicateTag({
  step,
}: {
  step: Pick<StepView, 'duplicateRisk'>;
}): ReactElement | null {
  if (!step.duplicateRisk) return null;
  return (
    <span className="ink-attention fate" title={t('turn.duplicateAbout')}>
      <Mark name="triangle" className="icon small" />
      {t('turn.duplicate')}
    </span>
  );
}
