/** A program file, a server with signed versions of it, and the real helper between them. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import fs from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { listName } from '../../electron/adapters/updates/signed-feed';
import {
  connectControl,
  readControlToken,
  type ControlClient,
} from '../../electron/control/client';
import { controlSocketPath, controlTokenPath } from '../../electron/control/address';
import type { UpdateNote } from '../../electron/ports/updates';

const PROGRAM = path.resolve('dist/test-hosts/update-program.cjs');

/** What an AppImage is to an update: one file that runs, and says where it is. */
export const programOf = (version: string, flaw = 'whole'): string =>
  `#!/bin/sh\nAPPIMAGE="$0"; export APPIMAGE\nexec '${process.execPath}' '${PROGRAM}' ${version} ${flaw} "$@"\n`;

export interface UpdateWorld {
  readonly dataDir: string;
  readonly target: string;
  /** Files of the server by name; changed at will. */
  readonly served: Map<string, Buffer | string>;
  publish(version: string, program: string): void;
  /** Starts the program as a person does. */
  start(crash?: string): ChildProcess;
  /** Waits until an instance of this version is up. */
  up(version?: string): Promise<ControlClient>;
  note(): UpdateNote | undefined;
  noteIn(...phases: UpdateNote['phase'][]): Promise<UpdateNote>;
  end(): Promise<void>;
}

const POLL_MS = 25;
const MAX_MS = 120_000;

async function until<T>(
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
): Promise<T> {
  const endMs = performance.now() + MAX_MS;
  while (performance.now() < endMs) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`not within ${String(MAX_MS)} ms: ${what}`);
}

export function newKey(): { readonly privateKey: KeyObject; readonly publicKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const der = publicKey.export({ format: 'der', type: 'spki' });
  return { privateKey, publicKey: der.subarray(-32).toString('base64') };
}

/** The list as electron-builder writes it, and its signature. */
export function signedList(
  version: string,
  file: { readonly name: string; readonly content: string },
  privateKey: KeyObject,
): { readonly list: string; readonly signature: string } {
  const sha512 = createHash('sha512').update(file.content).digest('base64');
  const list = `version: ${version}\nfiles:\n  - url: ${file.name}\n    sha512: ${sha512}\n    size: ${String(Buffer.byteLength(file.content))}\nreleaseDate: '2026-11-27T00:00:00.000Z'\n`;
  return { list, signature: sign(null, Buffer.from(list), privateKey).toString('base64') };
}

export async function serve(
  served: ReadonlyMap<string, Buffer | string>,
): Promise<{ readonly server: Server; readonly feed: string }> {
  const server = createServer((request, response) => {
    const content = served.get((request.url ?? '/').slice(1));
    response.statusCode = content === undefined ? 404 : 200;
    response.end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, feed: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/` };
}

export async function createUpdateWorld(
  config: Record<string, unknown> = {},
): Promise<UpdateWorld> {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-update-'));
  const dataDir = path.join(root, 'data');
  const target = path.join(root, 'Holdfast.AppImage');
  fs.mkdirSync(dataDir, { mode: 0o700 });
  fs.writeFileSync(target, programOf('0.1.0'), { mode: 0o755 });
  const key = newKey();
  const served = new Map<string, Buffer | string>();
  const { server, feed } = await serve(served);
  fs.writeFileSync(
    path.join(dataDir, 'config.json'),
    JSON.stringify({
      updates: { feed, public_key: key.publicKey },
      observability: { enabled: false },
      ...config,
    }),
    { mode: 0o600 },
  );
  const env = { PATH: process.env['PATH'], HOME: root, XDG_RUNTIME_DIR: root };
  const started = new Set<ChildProcess>();
  const clients = new Set<ControlClient>();
  const record = (): { pid?: number; phase?: string; version?: string } => {
    try {
      return JSON.parse(fs.readFileSync(path.join(dataDir, 'agent.lock'), 'utf8')) as object;
    } catch {
      return {};
    }
  };
  const note = (): UpdateNote | undefined => {
    try {
      const file = path.join(dataDir, 'updates', 'update.json');
      return JSON.parse(fs.readFileSync(file, 'utf8')) as UpdateNote;
    } catch {
      return undefined;
    }
  };
  return {
    dataDir,
    target,
    served,
    note,
    publish(version, content) {
      const name = `holdfast-${version}.AppImage`;
      const { list, signature } = signedList(version, { name, content }, key.privateKey);
      const at = listName(process.platform, process.arch);
      served.set(at, list);
      served.set(`${at}.sig`, signature);
      served.set(name, content);
    },
    start(crash) {
      const child = spawn(target, ['start', '--hidden', '--data-dir', dataDir], {
        stdio: 'ignore',
        env: { ...env, ...(crash === undefined ? {} : { HOLDFAST_TEST_CRASH: crash }) },
      });
      started.add(child);
      return child;
    },
    up: (version) =>
      until(`${version ?? 'an instance'} is up`, async () => {
        const { phase, version: found } = record();
        if (phase !== 'running' || (version !== undefined && found !== version)) return undefined;
        const result = await connectControl({
          socketPath: controlSocketPath(dataDir, env, process.platform),
          token: readControlToken(controlTokenPath(dataDir, process.platform)) ?? '',
          version: '0.1.0',
          timeoutMs: 2_000,
        });
        if (result.kind !== 'connected') return undefined;
        clients.add(result.client);
        const status = await result.client.call('status.get', {}).catch(() => undefined);
        return status?.phase === 'running' ? result.client : undefined;
      }),
    noteIn: (...phases) =>
      until(`the note is ${phases.join(' or ')}`, () => {
        const found = note();
        return found !== undefined && phases.includes(found.phase) ? found : undefined;
      }),
    async end() {
      for (const client of clients) client.close();
      // Ours by its record: it owns the folder that this test has made.
      const { pid } = record();
      if (pid !== undefined && isOurs(pid, dataDir)) process.kill(pid, 'SIGKILL');
      for (const child of started) child.kill('SIGKILL');
      await new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      fs.rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** The command line of a process names the folder of this test. */
function isOurs(pid: number, dataDir: string): boolean {
  try {
    return fs.readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8').includes(dataDir);
  } catch {
    return false;
  }
}
