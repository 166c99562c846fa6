import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeForThisRunSync } from './durable-file';

/**
 * `D/run/NAME.port`, for programs that look for a server of this run; undefined: it listens no
 * longer. Never throws: the server works without it. @returns why programs do not find it there
 */
export function writePortFile(
  dataDir: string,
  name: string,
  port: number | undefined,
): string | undefined {
  const file = join(dataDir, 'run', `${name}.port`);
  try {
    if (port === undefined) rmSync(file, { force: true });
    else writeForThisRunSync(file, `${String(port)}\n`);
    return undefined;
  } catch (error) {
    const errno = (error as NodeJS.ErrnoException).code ?? String(error);
    const what = port === undefined ? 'cannot be removed' : `cannot be set to ${String(port)}`;
    return `${file} ${what} (${errno}). Programs that read the port there do not find the right one.`;
  }
}
