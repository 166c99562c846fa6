export { createSystemClock } from './system-clock';
