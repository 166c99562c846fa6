/** A real sshd on the loopback with keys of its own: one computer for another, as one person uses them. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { until, type Site } from '../integration/rows/site';
import { builtProgram } from './built-program';

const SSHD = '/usr/sbin/sshd';

/** Why tests over SSH are left out; false: they are not. */
export const whyNoSshd = !fs.existsSync(SSHD) && 'sshd is not installed (openssh-server)';

export interface SshServer {
  readonly address: string;
  /** What the `holdfast` of the far computer is: its program can be another one for a while. */
  readonly farProgram: string;
  /** How often the near computer has called `ssh` so far. */
  calls(): number;
  /** The environment that a command had there. */
  farEnvironment(): string;
  /** What a process of the near computer has: its `ssh` knows the server, and sends whatever it may. */
  readonly nearEnvironment: Readonly<Record<string, string>>;
  /** Nobody listens any more; connections that are there stay. */
  stopListening(): Promise<void>;
  listen(): Promise<void>;
  /** Ends the connections that are there, as a network that is gone does at last. */
  cut(): void;
  stop(): void;
}

export const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

const isListening = (port: number): boolean =>
  fs
    .readFileSync('/proc/net/tcp', 'utf8')
    .includes(`0100007F:${port.toString(16).toUpperCase()} 00000000:0000 0A`);

export const me = (): string =>
  process.env['USER'] ?? execFileSync('id', ['-un'], { encoding: 'utf8' }).trim();

const isSshd = (pid: number): boolean => {
  try {
    return fs.readFileSync(`/proc/${String(pid)}/comm`, 'utf8').startsWith('sshd');
  } catch {
    return false; // it has ended
  }
};

/**
 * The processes of sshd below one, itself left out: as root one of them is the whole connection, for another
 * account each has two. The command is none of them, as it is none of the network.
 */
const below = (pid: number): readonly number[] =>
  fs
    .readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8')
    .split(' ')
    .filter((one) => one !== '')
    .map(Number)
    .filter(isSshd)
    .flatMap((one) => [one, ...below(one)]);

export async function startSshServer(
  near: Pick<Site, 'dataDir'>,
  far: Pick<Site, 'dataDir'>,
): Promise<SshServer> {
  const port = await freePort();
  const dir = path.join(near.dataDir, '..', 'ssh');
  const bin = path.join(dir, 'near-bin');
  const farBin = path.join(dir, 'far-bin');
  for (const folder of [bin, farBin]) fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of ['host', 'person'])
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path.join(dir, name)]);
  const script = (file: string, line: string): void =>
    fs.writeFileSync(file, `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  const farProgram = path.join(farBin, 'holdfast');
  script(
    farProgram,
    `env > ${dir}/far-environment; HOLDFAST_HOME=${far.dataDir} exec ${process.execPath} ${builtProgram()} "$@"`,
  );
  fs.writeFileSync(
    path.join(dir, 'sshd_config'),
    [
      `Port ${String(port)}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${dir}/host`,
      `AuthorizedKeysFile ${dir}/person.pub`,
      'StrictModes no',
      'UsePAM no',
      'AcceptEnv *',
      // A home of its own: what a person's shell reads at its start is none of this test's.
      `SetEnv PATH=${farBin}:/usr/bin:/bin HOME=${path.dirname(far.dataDir)}`,
      `PidFile ${dir}/pid`,
    ].join('\n'),
  );
  const hostKey = fs.readFileSync(path.join(dir, 'host.pub'), 'utf8').split(' ').slice(0, 2);
  fs.writeFileSync(path.join(dir, 'known'), `[127.0.0.1]:${String(port)} ${hostKey.join(' ')}\n`);
  fs.writeFileSync(
    path.join(dir, 'config'),
    `SendEnv *\nIdentityFile ${dir}/person\nUserKnownHostsFile ${dir}/known\n`,
  );
  const calls = path.join(dir, 'calls');
  fs.writeFileSync(calls, '');
  script(path.join(bin, 'ssh'), `echo "$@" >> ${calls}; exec /usr/bin/ssh -F ${dir}/config "$@"`);
  if (process.getuid?.() === 0) fs.mkdirSync('/run/sshd', { recursive: true });
  let sshd: ChildProcess;
  const connections = new Set<number>();
  const listen = async (): Promise<void> => {
    sshd = spawn(SSHD, ['-D', '-e', '-f', path.join(dir, 'sshd_config')], { stdio: 'ignore' });
    await until('sshd listens', () => isListening(port));
  };
  const remember = (): void => {
    if (sshd.pid !== undefined && sshd.exitCode === null)
      for (const pid of below(sshd.pid)) connections.add(pid);
  };
  const cut = (): void => {
    remember();
    for (const pid of connections) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // ended before
      }
    }
    connections.clear();
  };
  await listen();
  return {
    address: `ssh://${me()}@127.0.0.1:${String(port)}`,
    farProgram,
    calls: () => fs.readFileSync(calls, 'utf8').split('\n').length - 1,
    farEnvironment: () => fs.readFileSync(path.join(dir, 'far-environment'), 'utf8'),
    nearEnvironment: {
      HOME: path.join(near.dataDir, '..'),
      PATH: `${bin}:${process.env['PATH'] ?? ''}`,
      NEAR_API_KEY: 'near-secret-of-this-computer',
    },
    async stopListening() {
      remember();
      sshd.kill();
      await until('nobody listens', () => !isListening(port));
    },
    listen,
    cut,
    stop() {
      cut();
      sshd.kill();
    },
  };
}
