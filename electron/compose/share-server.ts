/** Our own PostgreSQL for the shared store: loaded if there is one or one is wanted. */
import { packageFor } from '../adapters/shared-store/server/fetch-programs';
import { createOwnServer, type OwnServer } from '../adapters/shared-store/server/own-server';
import { createSystemProcessTable } from '../adapters/instance/process-table';
import type { Log } from '../ports/log';
import type { Core } from './core';

interface ServerWorld extends Pick<Core, 'dataDir'> {
  readonly world: Pick<Core['world'], 'clock' | 'crashPoints' | 'ownEnvironment'>;
  readonly records: { readonly log: Pick<Log, 'info' | 'warn'> };
}

export const ownServerOf = ({ dataDir, world, records }: ServerWorld): OwnServer =>
  createOwnServer({
    dataDir,
    env: world.ownEnvironment,
    uid: process.getuid?.(),
    fetchable: packageFor(process.platform, process.arch),
    processes: createSystemProcessTable(),
    crashPoints: world.crashPoints,
    clock: world.clock,
    log: records.log,
  });
