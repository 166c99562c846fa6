/** What is loaded before `ready`, as one file: everything else of the shell comes behind the icon. */
export { showFirstIcon } from './tray/first-icon';
export { prepareProcess } from './prepare-process';
export { createStartLog } from './start-log';
