import path from 'node:path';
import type { VerbOutput } from '../../shared/contract';
import type { SkillView } from '../../shared/types';
import { isLlmAgent } from '../../shared/settings';
import { createSkillCatalog } from '../adapters/skills/skill-catalog';
import type { LoginEnvironment } from '../adapters/shell/login-environment';
import { RUN_SKILL, skillOffer } from '../engine/skills/plan';
import { createSkillRuns, type SkillRuns, type SkillRunsDeps } from '../engine/skills/runs';
import type { Handlers } from '../engine/api/handlers';
import { HoldfastError, unknownAgent } from '../engine/kernel/errors';
import type { Frame } from '../ports/journal/entries';
import type { SettingsPort } from '../ports/settings';
import type { SkillFinding } from '../ports/skills';
import { loginVariables } from '../adapters/shell/login-environment';

type SkillVerb =
  'skills.list' | 'skills.show' | 'runs.list' | 'runs.show' | 'runs.plan' | 'runs.discard';

interface SkillsDeps extends Omit<SkillRunsDeps, 'shelf' | 'allowed'> {
  readonly dataDir: string;
  readonly settings: SettingsPort;
  readonly ownEnvironment: Readonly<Record<string, string | undefined>>;
  readonly loginEnvironment: () => Promise<LoginEnvironment>;
  readonly defaultAgent: () => string;
  readonly practice: { readonly agent: string; readonly folder: string };
}

/** Skills on disk, their runs, and the verbs about both. */
export interface SkillsPart {
  readonly runs: SkillRuns;
  readonly verbs: Handlers<SkillVerb>;
  /** The frame of an agent with `run_skill` where it has skills; else the same frame. */
  frame(agent: string, frame: Frame): Promise<Frame>;
}

export function createSkills(deps: SkillsDeps): SkillsPart {
  const { settings } = deps;
  const specOf = (agent: string) => {
    const all = settings.get('agents');
    return Object.hasOwn(all, agent) ? all[agent] : undefined;
  };
  const shelf = createSkillCatalog({
    dataFolder: path.join(deps.dataDir, 'skills'),
    folders: () => settings.get('skills.folders'),
    env: deps.ownEnvironment,
    loginEnv: async () => loginVariables(await deps.loginEnvironment()) ?? {},
  });
  const allowed = (agent: string): readonly string[] | undefined => {
    const spec = specOf(agent);
    return spec !== undefined && isLlmAgent(spec) ? spec.skills : undefined;
  };
  const runs = createSkillRuns({ ...deps, shelf, allowed });
  const look = (agent = deps.defaultAgent()): Promise<readonly SkillFinding[]> => {
    const spec = specOf(agent);
    if (spec === undefined && agent !== deps.practice.agent) throw unknownAgent(agent, '');
    return runs.look(spec?.workspace ?? deps.practice.folder);
  };

  return {
    runs,
    async frame(agent, frame) {
      const spec = specOf(agent);
      if (spec !== undefined && !isLlmAgent(spec)) return frame;
      const offer = skillOffer(await runs.ready(agent, frame.workspace));
      if (offer === undefined) return frame;
      return { ...frame, tools: [...frame.tools.filter((one) => one.name !== RUN_SKILL), offer] };
    },
    verbs: {
      'skills.list': async ({ agent }) => {
        const found = await look(agent);
        return { skills: found.map(skillView), hints: hintsOf(found, settings) };
      },
      'skills.show': async ({ name, agent }) => {
        const found = (await look(agent)).find(
          (one) => one.name === name && one.kind !== 'shadowed',
        );
        if (found === undefined) throw unknownSkill(name);
        return shown(found, settings);
      },
      'runs.list': async ({ includeEnded = false, limit = 100 }) => ({
        runs: await runs.list({ includeEnded, limit }),
      }),
      'runs.show': ({ runId }) => runs.show(runId),
      'runs.plan': ({ runId }) => runs.plan(runId),
      'runs.discard': async ({ runId, requestHash }, origin) => {
        const preview = runs.preview(runId);
        if (requestHash === undefined) return { isDone: false, preview };
        return { isDone: true, preview, run: await runs.discard(runId, requestHash, origin) };
      },
    },
  };
}

function unknownSkill(name: string): HoldfastError {
  return new HoldfastError('SKILL_UNKNOWN', `There is no skill "${name.slice(0, 64)}".`, {
    hint: 'List the skills with "holdfast skills list".',
  });
}

function skillView(found: SkillFinding): SkillView {
  const { name, source, folder } = found;
  const skill = found.kind === 'ready' ? found.skill : undefined;
  return {
    name,
    source,
    folder,
    state: found.kind,
    reason: found.kind === 'ready' ? '' : found.reason.slice(0, 1000),
    ...(found.kind === 'broken' && found.line !== undefined ? { line: found.line } : {}),
    description: skill?.description ?? '',
    ...(skill === undefined ? {} : { version: skill.version }),
    phases: (skill?.phases ?? []).map((phase) => ({
      name: phase.name,
      next: [...phase.next],
      maxVisits: phase.maxVisits,
    })),
  };
}

function shown(found: SkillFinding, settings: SettingsPort): VerbOutput<'skills.show'> {
  const perSkill = settings.get('skill_resume.per_skill');
  const own = Object.hasOwn(perSkill, found.name) ? perSkill[found.name] : undefined;
  const skill = found.kind === 'ready' ? found.skill : undefined;
  const all =
    skill === undefined ? [] : skill.phases.map((one) => `[${one.name}]\n${one.instructions}`);
  return {
    skill: skillView(found),
    instructions: [skill?.instructions ?? '', ...all].join('\n\n').trim().slice(0, 100_000),
    ...(skill?.tools === undefined ? {} : { tools: [...skill.tools] }),
    policy: own ?? settings.get('skill_resume.default'),
  };
}

/** What a person may have got wrong: kept as it is, and said. */
function hintsOf(found: readonly SkillFinding[], settings: SettingsPort): string[] {
  const names = new Set(found.map((one) => one.name));
  const policies = settings.get('skill_resume.per_skill');
  const broken = found.filter((one) => one.kind === 'broken').length;
  return [
    ...Object.keys(policies)
      .filter((name) => !names.has(name))
      .map((name) => `skill_resume.per_skill names "${name}": there is no such skill here.`),
    ...Object.entries(policies)
      .filter(([, policy]) => policy === 'prompt')
      .map(([name]) => `"prompt" acts as retry for "${name}": a start never waits for an answer.`),
    ...(broken === 0
      ? []
      : [
          broken === 1
            ? '1 skill cannot be read; the others go on.'
            : `${String(broken)} skills cannot be read; the others go on.`,
        ]),
  ];
}
