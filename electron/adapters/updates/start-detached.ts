import { spawn, type ChildProcess } from 'node:child_process';

/** A program that outlives this process. `onError` is called where it cannot be started; it has no `pid` then. */
export function startDetached(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  onError: (error: Error) => void,
): ChildProcess {
  const child = spawn(program, [...args], { detached: true, stdio: 'ignore', env: { ...env } });
  // Before anything else can throw: an unhandled error event ends this process.
  child.on('error', onError);
  child.unref();
  return child;
}
