import { spawn, type ChildProcess } from 'node:child_process';

/**
 * Starts a program that outlives this process. If it cannot be started, it has no `pid`, and
 * `onError` is called.
 */
export function startDetached(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  onError: (error: Error) => void,
): ChildProcess {
  const child = spawn(program, [...args], { detached: true, stdio: 'ignore', env: { ...env } });
  // Comes before anything that can throw, because an unhandled error event ends this process.
  child.on('error', onError);
  child.unref();
  return child;
}
