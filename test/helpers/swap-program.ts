import { execFileSync, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Swaps two names in one step of the system, in bursts with pauses of a random length between. */
const IN_C = String.raw`
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
static volatile sig_atomic_t over = 0;
static void end(int sig) { (void)sig; over = 1; }
int main(int argc, char **argv) {
  if (argc < 4) return 2;
  unsigned seed = (unsigned)atoi(argv[3]);
  long swaps = 0;
  signal(SIGTERM, end);
  puts("ready");
  fflush(stdout);
  while (!over) {
    if (syscall(SYS_renameat2, AT_FDCWD, argv[1], AT_FDCWD, argv[2], 2) != 0) return 3;
    swaps += 1;
    usleep(rand_r(&seed) % 120);
  }
  printf("%ld\n", swaps);
  return 0;
}
`;

/** The same with three renames, where there is no compiler: for a moment one of the names is missing. */
const IN_NODE = String.raw`
const { renameSync } = require('node:fs');
const [one, other] = process.argv.slice(1);
let swaps = 0;
process.on('SIGTERM', () => { console.log(String(swaps)); process.exit(0); });
console.log('ready');
const round = () => {
  for (let at = 0; at < 20; at += 1) {
    renameSync(one, one + '.aside');
    renameSync(other, one);
    renameSync(one + '.aside', other);
    swaps += 1;
  }
  setImmediate(round);
};
round();
`;

function commandIn(folder: string): readonly [string, readonly string[]] {
  const source = join(folder, 'swap.c');
  const program = join(folder, 'swap');
  try {
    writeFileSync(source, IN_C);
    execFileSync('cc', ['-O1', '-o', program, source], { stdio: 'ignore' });
    return [program, []];
  } catch {
    return [process.execPath, ['-e', IN_NODE]];
  }
}

export interface Swapper {
  /** Ends it; resolves with how many times it has swapped. */
  stop(): Promise<number>;
}

/** A process that swaps `one` and `other` as fast as it can. */
export async function startSwapper(
  folder: string,
  [one, other]: readonly [string, string],
  seed: number,
): Promise<Swapper> {
  const [program, args] = commandIn(folder);
  const child = spawn(program, [...args, one, other, String(seed)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error('the swapping program ended at once')));
    child.stdout?.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
      if (said.startsWith('ready')) resolve();
    });
  });
  return {
    async stop() {
      child.kill('SIGTERM');
      await ended;
      return Number(said.split('\n')[1]);
    },
  };
}
