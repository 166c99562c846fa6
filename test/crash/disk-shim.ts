/** The library that traces what a process does to its files, made where there is a compiler. */
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const SOURCE = path.resolve('test/crash/shim/trace-disk.c');

/** Undefined where it cannot be made; then one line says why. */
export function diskShim(): string | undefined {
  if (process.platform !== 'linux') {
    console.warn('not Linux: what power cuts and failing syncs leave is not tested');
    return undefined;
  }
  if (spawnSync('cc', ['--version'], { stdio: 'ignore' }).status !== 0) {
    console.warn('no C compiler: what power cuts and failing syncs leave is not tested');
    return undefined;
  }
  const target = path.resolve('dist/test-hosts/trace-disk.so');
  const madeMs = fs.statSync(target, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (madeMs > fs.statSync(SOURCE).mtimeMs) return target;
  fs.mkdirSync(path.dirname(target), { recursive: true });
  const made = `${target}.${String(process.pid)}`;
  execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', made, SOURCE, '-ldl', '-lpthread']);
  fs.renameSync(made, target);
  return target;
}

/** Which calls fail: so many of 1,000, of files with this in their path. */
export interface Failing {
  readonly seed: number;
  readonly syncs: number;
  readonly writes: number;
  readonly errno: number;
  readonly part: string;
}

export const shimEnv = (
  shim: string,
  root: string,
  tracePath: string,
  failing?: Failing,
): Readonly<Record<string, string>> => ({
  LD_PRELOAD: shim,
  HOLDFAST_DISK_ROOT: root,
  HOLDFAST_DISK_TRACE: tracePath,
  // What goes past the C library is not seen.
  UV_USE_IO_URING: '0',
  ...(failing === undefined
    ? {}
    : {
        HOLDFAST_DISK_FAIL: [
          failing.seed,
          failing.syncs,
          failing.writes,
          failing.errno,
          failing.part,
        ].join(' '),
      }),
});
