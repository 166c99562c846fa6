/** The entry in Electron, which waits for it before `ready`. */
import path from 'node:path';
import { runProgram } from './compiled-code';
import type * as Program from './main-program';

const program = runProgram(path.join(import.meta.dirname, 'main-program.cjs')) as typeof Program;
await program.main();
