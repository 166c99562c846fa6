/** The code needed before `ready`, as one file: the rest of the shell loads after the icon. */
export { showFirstIcon } from './tray/first-icon';
export { prepareProcess } from './prepare-process';
export { createStartLog } from './start-log';
