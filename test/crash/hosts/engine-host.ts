/** Begins a life of the engine with the code that the build compiled ahead: crash tests start hundreds. */
import path from 'node:path';
import { runProgram } from '../../../electron/compiled-code';

runProgram(path.join(import.meta.dirname, 'engine-life.cjs'));
