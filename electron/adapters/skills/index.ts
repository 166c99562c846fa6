export { createSkillCatalog } from './skill-catalog';
