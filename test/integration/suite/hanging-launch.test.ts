/** What is said of an app that does not come up, asked of real processes that hang in three ways. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { describeHangingLaunch } from '../../helpers/hanging-launch';

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

/** A program with the inspector that tests start their app with; `mark` is in its command line. */
async function startProgram(script: string): Promise<{ mark: string; pid: number }> {
  const mark = `launch-${randomUUID()}`;
  const child = spawn(process.execPath, ['--inspect=0', '-e', script, mark], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  started.push(child);
  await once(child.stdout, 'data');
  return { mark, pid: child.pid ?? 0 };
}

describe('a launch that hangs', () => {
  it('names the function in which the main process is stuck, with its line', async () => {
    const { mark, pid } = await startProgram(
      `function readsForever() { for (;;) Math.random(); }
       console.log('up'); setTimeout(function startsUp() { readsForever(); });`,
    );
    const said = await describeHangingLaunch([mark]);
    expect(said).toContain(`pid ${pid} (main,`);
    expect(said).toMatch(/does not turn\. Its stack:\n(?:.*\n)*? {4}at readsForever \(.*:1\)/);
    expect(said).toContain('at startsUp');
  });

  it('says of a main process that answers what it has open: then the driver has lost it', async () => {
    const { mark } = await startProgram(
      `console.log('up'); require('node:net').createServer().listen(0);`,
    );
    const said = await describeHangingLaunch([mark]);
    expect(said).toContain('The event loop of the main process turns.');
    expect(said).toContain('TCPServerWrap');
  });

  it('says that no script runs in a process that the system has stopped', async () => {
    const { mark, pid } = await startProgram(`console.log('up'); setInterval(() => {}, 1000);`);
    process.kill(pid, 'SIGSTOP');
    const said = await describeHangingLaunch([mark]);
    expect(said).toContain('T (stopped)');
    expect(said).toContain(`The inspector of pid ${pid} does not answer.`);
  });

  it('says that an app has ended of which no process is left', async () => {
    expect(await describeHangingLaunch([`launch-${randomUUID()}`])).toBe(
      'No process of the app is there: it has ended.',
    );
  });
});
