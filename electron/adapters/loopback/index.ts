export { readOnlyServer } from './read-only-server';
