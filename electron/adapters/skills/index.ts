export { createSkillShelf } from './skill-catalog';
