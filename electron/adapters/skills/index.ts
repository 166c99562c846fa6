export { createSkillShelf } from './skill-shelf';
