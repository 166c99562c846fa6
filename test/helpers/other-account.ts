/**
 * Two accounts of one computer, played with numbers that nobody has. Only root may become them, so
 * the suites that need them are left out elsewhere: `NOT_ROOT` in skips.ts.
 */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { builtProgram } from './built-program';

/** Whose Holdfast it is. */
export const VICTIM = 61_001;
/** Who shares the computer. */
export const THIEF = 61_002;
/** A group that both are in. */
export const SHARED_GROUP = 61_100;

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  readonly out: () => string;
}

/** What the accounts have and run; `close` ends and removes all of it. */
export function createAccounts() {
  const children: ChildProcess[] = [];
  const folders: string[] = [];

  const launch = (
    uid: number,
    command: readonly [string, ...string[]],
    env: Readonly<Record<string, string>>,
    stdin: string,
  ): Running => {
    const [program, ...args] = command;
    const child = spawn(program, args, { uid, gid: uid, env, cwd: '/', stdio: 'pipe' });
    children.push(child);
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    child.stdin.on('error', () => undefined);
    child.stdin.end(stdin);
    const ended = new Promise<Ended>((resolve) =>
      child.once('close', (code) => {
        resolve({ code, out, err });
      }),
    );
    return { child, ended, out: () => out };
  };

  return {
    /** A folder that everyone may pass through, below the common one. */
    commonFolder(): string {
      const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hf-accounts-'));
      fs.chmodSync(folder, 0o755);
      folders.push(folder);
      return folder;
    },
    /** Removes it at the end. */
    remember: (folder: string) => folders.push(folder),
    /** Starts the built Holdfast as the victim, with nothing but this in its environment. */
    holdfast(args: readonly string[], home: string, stdin = ''): Running {
      const entry = builtProgram();
      fs.chmodSync(path.dirname(entry), 0o755);
      const env = {
        PATH: process.env['PATH'] ?? '',
        HOME: home,
        SHELL: '/bin/sh',
        HOLDFAST_NO_RELAUNCH: '1',
        NO_COLOR: '1',
      };
      return launch(VICTIM, [process.execPath, entry, ...args], env, stdin);
    },
    /** Runs a few lines of JavaScript as the thief, until they say something. */
    async thief(script: string): Promise<Running> {
      const running = launch(THIEF, [process.execPath, '-e', script], {}, '');
      await Promise.race([
        new Promise((resolve) => running.child.stdout?.once('data', resolve)),
        running.ended.then(({ err }) => {
          throw new Error(`the thief ended: ${err}`);
        }),
      ]);
      return running;
    },
    async close(): Promise<void> {
      for (const child of children) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        const gone = new Promise((resolve) => child.once('exit', resolve));
        child.kill('SIGKILL');
        await gone;
      }
      for (const folder of folders) fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Gives a tree to an account; links themselves, not what they lead to. */
export function give(target: string, uid: number, gid = uid): void {
  fs.lchownSync(target, uid, gid);
  if (!fs.lstatSync(target).isDirectory()) return;
  for (const name of fs.readdirSync(target)) give(path.join(target, name), uid, gid);
}
