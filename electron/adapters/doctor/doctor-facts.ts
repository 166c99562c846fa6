import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { distrustOf } from '../../data-trust';
import type { DoctorFacts } from '../../ports/doctor';
import type { LoginEnvironment } from '../shell/login-environment';
import { readError } from '../sqlite/damage';
import { checkIntegrity } from '../sqlite/check-integrity';
import { databasePath } from '../sqlite/open-database';

/** Facts about this computer and the data in `dataDir` for the doctor. */
export function createDoctorFacts(deps: {
  readonly dataDir: string;
  readonly loginEnvironment: () => Promise<LoginEnvironment>;
  readonly browser: DoctorFacts['browser'];
}): DoctorFacts {
  const { dataDir } = deps;
  return {
    machine: {
      node: process.versions.node,
      electron: process.versions.electron,
      platform: process.platform,
      arch: process.arch,
      isRoot: process.getuid?.() === 0,
      owner: ownerOf(os.homedir()),
    },
    folder() {
      const nearest = firstThere(dataDir);
      const database = databasePath(nearest);
      const distrust = distrustOf(dataDir);
      return {
        path: dataDir,
        isThere: nearest === dataDir,
        distrust: distrust && `${distrust.message} ${distrust.hint ?? ''}`.trim(),
        isWritable: isWritable(nearest),
        database: fs.existsSync(database)
          ? { path: database, isWritable: isWritable(database) }
          : undefined,
        freeBytes: freeBytes(nearest),
      };
    },
    async commandEnvironment() {
      const login = await deps.loginEnvironment();
      return login.kind === 'login'
        ? { kind: 'login', shell: login.shell, variables: Object.keys(login.env).length }
        : { kind: 'own', reason: login.reason };
    },
    browser: deps.browser,
    async integrity() {
      const { isOk, isUnread, problems } = await checkIntegrity(dataDir);
      const { message, hint = '' } = readError(databasePath(dataDir));
      return {
        isOk,
        problems,
        backups: path.join(dataDir, 'backups'),
        ...(isUnread ? { unread: `${message} ${hint}` } : {}),
      };
    },
  };
}

/** The home folder in every spelling of its path, and the account's name. */
function ownerOf(home: string): DoctorFacts['machine']['owner'] {
  const homes = new Set([home]);
  try {
    homes.add(fs.realpathSync(home));
  } catch {
    // A missing home has one spelling.
  }
  try {
    return { homes: [...homes], name: os.userInfo().username };
  } catch {
    return { homes: [...homes], name: path.basename(home) }; // An account without an entry.
  }
}

/** The folder itself, or its nearest existing ancestor. */
function firstThere(dir: string): string {
  const above = path.dirname(dir);
  return fs.existsSync(dir) || above === dir ? dir : firstThere(above);
}

function isWritable(target: string): boolean {
  try {
    fs.accessSync(target, fs.constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function freeBytes(dir: string): number | undefined {
  try {
    const { bavail, bsize } = fs.statfsSync(dir);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}
