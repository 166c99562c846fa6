import { type SkillDefinition, END_PHASE, type PhaseSpec } from '../../ports/skills';
import type { Hasher } from '../../ports/blobs';
import type { Frame } from '../../ports/journal/entries';
import type { ToolOffer } from '../../ports/provider';
import { canonicalJson } from '../kernel/canonical';

/** Starts a skill from inside a conversation; offered if the agent has skills. */
export const RUN_SKILL = 'run_skill';
/** Ends a phase with its output; offered within a phase. */
export const FINISH_PHASE = 'finish_phase';
/** Maximum visits of all phases of one run; a plan with more is invalid. */
export const MAX_RUN_VISITS = 200;
/** Maximum depth of skills that start skills. */
export const MAX_RUN_DEPTH = 5;

/** The next step of a run after a phase. */
type PhaseStep =
  | { readonly kind: 'phase'; readonly name: string; readonly visit: number }
  | { readonly kind: 'end' }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * The phase after `phase`: the requested one if the plan allows it, otherwise the first of `next`.
 * A phase without visits left is rejected. Pure. S4-08.
 */
export function phaseAfter(
  skill: Pick<SkillDefinition, 'phases'>,
  phase: string,
  visits: Readonly<Record<string, number>>,
  wanted?: string,
): PhaseStep {
  const at = skill.phases.find((one) => one.name === phase);
  if (at === undefined) return { kind: 'refused', reason: `There is no phase "${phase}".` };
  const name = wanted ?? at.next[0] ?? END_PHASE;
  if (!at.next.includes(name)) {
    return {
      kind: 'refused',
      reason: `After "${phase}" comes one of: ${at.next.join(', ')}; not "${name.slice(0, 64)}".`,
    };
  }
  return name === END_PHASE ? { kind: 'end' } : enterPhase(skill, name, visits);
}

/** The next visit of a phase, if one is left. */
export function enterPhase(
  skill: Pick<SkillDefinition, 'phases'>,
  name: string,
  visits: Readonly<Record<string, number>>,
): PhaseStep {
  const spec = skill.phases.find((one) => one.name === name);
  if (spec === undefined) return { kind: 'refused', reason: `There is no phase "${name}".` };
  const visit = (Object.hasOwn(visits, name) ? (visits[name] ?? 0) : 0) + 1;
  if (visit > spec.maxVisits) {
    return {
      kind: 'refused',
      reason: `The phase "${name}" has run ${String(spec.maxVisits)} times, which is the limit.`,
    };
  }
  const all = Object.values(visits).reduce((sum, count) => sum + count, 0);
  if (all >= MAX_RUN_VISITS) {
    return {
      kind: 'refused',
      reason: `The phases of the run have run ${String(MAX_RUN_VISITS)} times.`,
    };
  }
  return { kind: 'phase', name, visit };
}

/** A phase's text for the model, in addition to the agent's frame. No clock, no visit count. */
function phaseText(skill: SkillDefinition, phase: PhaseSpec): string {
  const isAlone = skill.phases.length === 1;
  const others = phase.next.filter((name) => name !== END_PHASE);
  return [
    `You are running the skill "${skill.name}".`,
    ...(skill.instructions === '' ? [] : [skill.instructions]),
    ...(isAlone ? [] : [`You are in its phase "${phase.name}".`]),
    ...(phase.instructions === '' ? [] : [phase.instructions]),
    `When this is done, answer with its result, or call ${FINISH_PHASE}.`,
    ...(phase.next.length > 1
      ? [
          `The phase that follows is "${phase.next[0] ?? END_PHASE}"; with ${FINISH_PHASE} you may choose: ${[...others, ...(phase.next.includes(END_PHASE) ? [END_PHASE] : [])].join(', ')}.`,
        ]
      : []),
  ].join('\n\n');
}

/**
 * The frame of a phase: the agent's original frame plus the skill. A skill can only narrow its
 * agent's tools, never add one; if it lists tools, `run_skill` is available only if listed.
 */
export function phaseFrame(frame: Frame, skill: SkillDefinition, phase: PhaseSpec): Frame {
  const narrowed = [skill.tools, phase.tools].reduce<readonly ToolOffer[]>(
    (offers, names) =>
      names === undefined ? offers : offers.filter((offer) => names.includes(offer.name)),
    frame.tools,
  );
  return {
    ...frame,
    system: `${frame.system}\n\n${phaseText(skill, phase)}`,
    tools: [...narrowed.filter((offer) => offer.name !== FINISH_PHASE), finishOffer(phase)],
  };
}

function finishOffer(phase: PhaseSpec): ToolOffer {
  return {
    name: FINISH_PHASE,
    description:
      'Ends this phase. "artifact" is the input of the next phase, or the result of the skill. "abort" ends the whole skill as failed, with the reason.',
    inputSchema: {
      type: 'object',
      properties: {
        artifact: { type: 'string' },
        next: { type: 'string', enum: [...phase.next] },
        abort: { type: 'string' },
      },
    },
  };
}

/**
 * Key of the step plan of one visit: everything that its recorded steps depend on. A version of the
 * skill with the same key replays them unchanged (S4-+08).
 */
export function planKeyOf(
  hasher: Hasher,
  skill: SkillDefinition,
  phaseName: string,
): string | undefined {
  const phase = skill.phases.find((one) => one.name === phaseName);
  if (phase === undefined) return undefined;
  const plan = {
    text: phaseText(skill, phase),
    tools: [skill.tools ?? null, phase.tools ?? null],
    phases: skill.phases.map((one) => [one.name, one.next, one.maxVisits]),
  };
  return hasher.sha256Hex(`plan\n${canonicalJson(plan)}`);
}

/** The definition of `run_skill`; undefined without skills. */
export function skillOffer(
  skills: readonly Pick<SkillDefinition, 'name' | 'description'>[],
): ToolOffer | undefined {
  if (skills.length === 0) return undefined;
  const list = skills.map(({ name, description }) => `${name}: ${description.slice(0, 300)}`);
  return {
    name: RUN_SKILL,
    description: `Runs a skill and returns its result. Skills:\n${list.join('\n')}`,
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', enum: skills.map(({ name }) => name) },
        input: { type: 'string' },
      },
      required: ['name'],
    },
  };
}

/** The request of a message that starts with `/skill`. */
export type SkillCommand =
  | { readonly kind: 'run'; readonly name: string; readonly input: string }
  | { readonly kind: 'list' }
  | { readonly kind: 'discard'; readonly runId: number; readonly isForced: boolean }
  | { readonly kind: 'wrong' };

/**
 * Reads `/skill NAME …`, `/skill list` and `/skill discard ID`; undefined for any other message.
 */
export function skillCommand(text: string): SkillCommand | undefined {
  const match = /^\/skills?(?:\s+([\s\S]*))?$/.exec(text.trim());
  if (match === null) return undefined;
  const rest = match[1] ?? '';
  const name = /^\S*/.exec(rest)?.[0] ?? '';
  const input = rest.slice(name.length).trim();
  if (name === '' || name === 'list') return { kind: 'list' };
  if (name === 'discard') {
    const wanted = /^(\d{1,15})(\s+--force)?$/.exec(input);
    return wanted === null
      ? { kind: 'wrong' }
      : { kind: 'discard', runId: Number(wanted[1]), isForced: wanted[2] !== undefined };
  }
  return { kind: 'run', name, input };
}

/** A phase's input: the skill's input and the previous phase's artifact. */
export function phaseInput(
  input: string,
  before: { readonly phase: string; readonly artifact: string } | undefined,
): string {
  const asked = input === '' ? '(no input)' : input;
  return before === undefined
    ? asked
    : `${asked}\n\nResult of the phase "${before.phase}":\n${before.artifact}`;
}

export type SkillFound =
  | { readonly kind: 'ready'; readonly skill: SkillDefinition }
  | { readonly kind: 'none'; readonly reason: string };
