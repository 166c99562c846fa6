/** The entry on plain Node. */
import path from 'node:path';
import { runProgram } from './compiled-code';

runProgram(path.join(import.meta.dirname, 'node-program.cjs'));
