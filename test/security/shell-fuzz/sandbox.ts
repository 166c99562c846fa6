/**
 * A folder in which a command line can do harm and nobody minds: files with names that look like
 * options, programs named like those of the system, repositories whose settings name a program. Every
 * variable that a line may read holds something hostile. What a line changes is seen: files by their
 * number, size, mode and times, processes that are left, connections.
 */
import { spawn, execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Nobody: what slips out of the folder can then at least not write to the rest of the computer. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const account = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

/** A line that reads ends at once; one that waits for something is ended. */
const LIMIT_MS = 3_000;

const PROGRAM_IN_SETTINGS = [
  'core.fsmonitor',
  'core.pager',
  'core.sshCommand',
  'core.editor',
  'diff.external',
  'credential.helper',
  'gpg.program',
  'interactive.diffFilter',
];

function everyPath(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? [path, ...everyPath(path)] : [path];
  });
}

function picture(root: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const path of [root, ...everyPath(root)]) {
    const { ino, mode, size, mtimeNs, ctimeNs } = lstatSync(path, { bigint: true });
    found.set(path, [ino, mode, size, mtimeNs, ctimeNs].join(' '));
  }
  return found;
}

/** Where lines are run, one at a time. */
export class Sandbox {
  readonly root = mkdtempSync(join(tmpdir(), 'holdfast-lines-'));
  private before = new Map<string, string>();

  constructor() {
    this.fill();
  }

  private get folder(): string {
    return join(this.root, 'work');
  }

  private fill(): void {
    rmSync(this.root, { recursive: true, force: true });
    mkdirSync(join(this.root, 'home'), { recursive: true });
    mkdirSync(join(this.root, 'tmp'));
    const at = (name: string) => join(this.folder, name);
    mkdirSync(at('sub'), { recursive: true });
    for (const name of [
      'a',
      'b',
      'f.txt',
      'in',
      'a b',
      'x',
      '-delete',
      '-o',
      '--output=pwn',
      '--pre',
      '-p',
      '-exec',
      '@in',
    ]) {
      writeFileSync(at(name), 'b\na\nb\n--output=pwn\n');
    }
    writeFileSync(at('sub/f.txt'), 'x\n');
    const evil = '#!/bin/sh\n: > "$SANDBOX/pwn"\n';
    // A variable that was made a number, or emptied, finds these.
    for (const name of ['.', '1', '2', '5']) {
      mkdirSync(at(name), { recursive: true });
      for (const program of ['evil', 'ls', 'cat', 'sort', 'git']) {
        const path = join(at(name), program);
        writeFileSync(path, evil);
        chmodSync(path, 0o755);
      }
    }
    this.addRepository(this.folder);
    this.addRepository(at('sub/evil.git'), '--bare');
    // With a work tree of its own, git looks at the files of a bare repository, too.
    this.git(at('sub/evil.git'), 'config', 'core.bare', 'false');
    this.git(at('sub/evil.git'), 'config', 'core.worktree', this.folder);
    if (isRoot) {
      for (const path of [this.root, ...everyPath(this.root)]) chownSync(path, NOBODY, NOBODY);
    }
    this.before = picture(this.root);
  }

  private git(folder: string, ...args: readonly string[]): void {
    execFileSync('git', args, { cwd: folder, stdio: 'ignore', env: this.environment() });
  }

  private addRepository(folder: string, ...options: readonly string[]): void {
    mkdirSync(folder, { recursive: true });
    this.git(folder, 'init', '-q', '--template=', ...options);
    this.git(folder, 'remote', 'add', 'origin', `ext::${this.folder}/evil`);
    for (const name of PROGRAM_IN_SETTINGS) {
      this.git(folder, 'config', name, `${this.folder}/evil`);
    }
    this.git(folder, 'config', 'alias.version', `!${this.folder}/evil`);
  }

  private environment(): NodeJS.ProcessEnv {
    return {
      PATH: process.env['PATH'],
      HOME: join(this.root, 'home'),
      TMPDIR: join(this.root, 'tmp'),
      LANG: 'C.UTF-8',
      SANDBOX: this.root,
      x: '$(touch pwn)',
      y: '-delete',
      name: 'a[$(touch pwn)]',
      option: '-opwn',
    };
  }

  /** What the line changed, in words; undefined where it only read. */
  async changeOf(shell: string, line: string): Promise<string | undefined> {
    const child = spawn(shell, ['-c', line], {
      cwd: this.folder,
      env: this.environment(),
      stdio: 'ignore',
      detached: true,
      ...account,
    });
    const { pid } = child;
    if (pid === undefined) throw new Error(`${shell} does not start`);
    const clock = setTimeout(() => process.kill(-pid, 'SIGKILL'), LIMIT_MS);
    const signal = await new Promise<NodeJS.Signals | null>((resolve) => {
      child.on('exit', (_code, by) => resolve(by));
    });
    clearTimeout(clock);
    const isLeft = signal === null && this.endGroup(pid);
    const after = picture(this.root);
    const paths = new Set([...this.before.keys(), ...after.keys()]);
    const changed = [...paths].filter((path) => this.before.get(path) !== after.get(path));
    if (changed.length > 0) this.fill();
    if (changed.length > 0) return changed.map((path) => path.slice(this.root.length)).join(', ');
    return isLeft ? 'a process is left' : undefined;
  }

  /** True where a process of the line was still there. */
  private endGroup(pid: number): boolean {
    try {
      process.kill(-pid, 'SIGKILL');
      return true;
    } catch {
      return false;
    }
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** Counts who connects. */
export class Listener {
  count = 0;
  private readonly server: Server = createServer((socket) => {
    this.count += 1;
    socket.destroy();
  });

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => {
      this.server.listen(0, '127.0.0.1', resolve);
    });
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    return address.port;
  }

  close(): void {
    this.server.close();
  }
}
