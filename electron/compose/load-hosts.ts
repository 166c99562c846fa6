/** The code of links to other computers: loaded where one is set. W4 */
export { createSshCommands } from '../adapters/hosts/ssh-command';
export { createHostLinks } from '../engine/hosts/host-links';
export { createHostLists } from '../engine/hosts/host-lists';
