import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeForThisRunSync } from './durable-file';

/** `D/run/NAME.port`, for programs that look for a server of this run; undefined: it listens no longer. */
export function writePortFile(dataDir: string, name: string, port: number | undefined): void {
  const file = join(dataDir, 'run', `${name}.port`);
  if (port === undefined) rmSync(file, { force: true });
  else writeForThisRunSync(file, `${String(port)}\n`);
}
