import type { SkillDefinition } from '../../ports/skills';

export type SkillFound =
  | { readonly kind: 'ready'; readonly skill: SkillDefinition }
  | { readonly kind: 'none'; readonly reason: string };
