import type { SettingsPort } from '../../ports/settings';
import { HoldfastError } from '../kernel/errors';
import type { Skills } from '../skills/skills';
import { skillDetail, skillHints, skillView } from '../skills/views';
import type { Families } from './handlers';

interface SkillsDeps {
  readonly skills: Skills;
  readonly settings: SettingsPort;
}

/** Skills that agents have, and their runs. */
export function skillHandlers({ skills, settings }: SkillsDeps): Families['skills'] {
  const { runs } = skills;
  return {
    'skills.list': async ({ agent }) => {
      const found = await skills.look(agent);
      return { skills: found.map(skillView), hints: skillHints(found, settings) };
    },
    'skills.show': async ({ name, agent }) => {
      const all = await skills.look(agent);
      const found = all.find((one) => one.name === name && one.kind !== 'shadowed');
      if (found !== undefined) return skillDetail(found, settings);
      throw new HoldfastError('SKILL_UNKNOWN', `There is no skill "${name.slice(0, 64)}".`, {
        hint: 'List the skills with "holdfast skills list".',
      });
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
  };
}
