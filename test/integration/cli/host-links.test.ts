/** The lasting connection to another computer over a real sshd: what is told of it here, and when. */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HostView, StatusSnapshot } from '../../../shared/types';
import { isLeftOut } from '../../helpers/skips';
import { freePort, startSshServer, whyNoSshd, type SshServer } from '../../helpers/ssh-server';
import { callsThenDone, createSite, until, type Launched, type Site } from '../rows/site';

let near: Site;
let far: Site;
let server: SshServer;
let here: Launched;
let there: Launched;
/** Where the near one listens without a host. */
let listening: readonly string[] = [];

const status = (): Promise<StatusSnapshot> => near.json<StatusSnapshot>('status');
const box = async (): Promise<HostView | undefined> =>
  (await status()).hosts?.find(({ name }) => name === 'box');
const seen = async (what: string, isSo: (view: HostView) => boolean): Promise<HostView> => {
  let last: HostView | undefined;
  await until(`box is ${what}`, async () => {
    last = await box();
    return last !== undefined && isSo(last);
  }).catch((error: unknown) => {
    throw new Error(`${String(error)}; it is ${JSON.stringify(last)}`);
  });
  return last as HostView;
};
const isRunning = (view: HostView): boolean =>
  view.kind === 'connected' && view.phase === 'running';
/** Processes of links that serve this far computer now. */
const links = (): readonly string[] =>
  fs.readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return (
        fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').endsWith('\0hosts\0link\0') &&
        fs.readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`HOLDFAST_HOME=${far.dataDir}\0`)
      );
    } catch {
      return false; // it has ended
    }
  });

/** The local addresses on which a process listens, as the kernel writes them. */
function listeners(pid: string): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  const open = new Set(
    fs.readdirSync(folder).map((fd) => {
      try {
        return fs.readlinkSync(path.join(folder, fd));
      } catch {
        return ''; // closed meanwhile
      }
    }),
  );
  return ['tcp', 'tcp6'].flatMap((kind) =>
    fs
      .readFileSync(`/proc/${pid}/net/${kind}`, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      // 0A is LISTEN.
      .filter((at) => at[3] === '0A' && open.has(`socket:[${at[9] ?? ''}]`))
      .map((at) => at[1] ?? ''),
  );
}

const startNear = async (): Promise<Launched> => {
  const host = near.launch(['start', '--headless'], '', { ...server.nearEnvironment });
  await until('the near one is ready', () => host.out().includes('\n'));
  return host;
};

describe.skipIf(isLeftOut('links to hosts', whyNoSshd))('links to hosts', () => {
  beforeAll(async () => {
    [near, far] = [await createSite(), await createSite()];
    server = await startSshServer(near, far);
    far.configure({ approvals: { tools: { 'files.write_file': 'ask' } } });
    there = await far.start();
    near.configure();
    here = await startNear();
  });
  afterAll(async () => {
    server.stop();
    await Promise.all([near.remove(), far.remove()]);
  });

  it('HO-02 nothing is started and nothing is said before a host is set', async () => {
    expect((await status()).hosts).toBeUndefined();
    expect(links()).toEqual([]);
    listening = listeners(String(here.child.pid));
  });

  it('HO-02 a decision on a host counts in the tray here, with its host, from the moment it is asked until it is answered', async () => {
    await near.hf('hosts', 'add', 'box', server.address);
    expect(await seen('connected', isRunning)).toMatchObject({ needsYou: 0, name: 'box' });
    expect((await status()).tray).toBe('idle');
    far.fp.setScript(callsThenDone({ name: 'write_file', args: { path: 'a.txt', content: 'x' } }));
    const turn = await far.send('write', '--agent', 'a');
    await seen('in need', (view) => view.kind === 'connected' && view.needsYou === 1);
    const asked = await status();
    expect([asked.tray, asked.counts.needsYou]).toEqual(['attention', 0]);
    expect((await near.hf('status')).out).toContain('1 thing needs you on box.');
    await far.hf('turns', 'cancel', String(turn), '--yes');
    await seen('content', (view) => view.kind === 'connected' && view.needsYou === 0);
    expect((await status()).tray).toBe('idle');
  });

  it('HO-03 nothing of this computer travels, and nothing listens for the link', () => {
    expect(server.farEnvironment()).not.toContain('near-secret-of-this-computer');
    expect(server.farEnvironment()).not.toContain(near.dataDir);
    expect(links()).toHaveLength(1);
    expect(listeners(links()[0] ?? 'none')).toEqual([]);
    expect(listeners(String(here.child.pid))).toEqual(listening);
  });

  it('HO-02 a cut is told with its reason and not as quiet, and ends by itself when the host is back', async () => {
    await server.stopListening();
    server.cut();
    const away = await seen('unreachable', (view) => view.kind === 'unreachable');
    expect(away).toMatchObject({ why: expect.stringMatching(/^The connection failed/) });
    await until('the tries fail, too', async () => {
      const view = await box();
      return view?.kind === 'unreachable' && view.why.includes('refused');
    });
    expect((await status()).tray).toBe('degraded');
    expect((await near.hf('status')).out).toContain('No connection to box.');
    await server.listen();
    await seen('connected', isRunning);
    expect((await status()).tray).toBe('idle');
    await until('one link is left', () => links().length === 1);
  });

  it('HO-02 a Holdfast there that stops or is killed is told as not running, what it left counts, and its start is noticed', async () => {
    await far.kill(there);
    await seen('stopped', (view) => view.kind === 'connected' && view.phase === 'stopped');
    expect((await status()).tray).toBe('degraded');
    there = await far.start();
    await seen('running', isRunning);
  });

  it('HO-02 another version says which, one that sends noise is unreachable, and a greeting of a shell is passed over', async () => {
    const ours = fs.readFileSync(server.farProgram, 'utf8');
    const become = async (line: string): Promise<void> => {
      fs.writeFileSync(server.farProgram, `#!/bin/sh\n${line}\n`);
      await near.hf('hosts', 'remove', 'box');
      await until('the link has ended', () => links().length === 0);
      await near.hf('hosts', 'add', 'box', server.address);
    };
    // The version before: it knows no links, and says what it is.
    await become(
      `[ "$1" = status ] && { echo '{ "version": "0.0.9" }'; exit 0; }; echo "error: unknown command 'link'" >&2; exit 2`,
    );
    expect(await seen('of another version', ({ kind }) => kind === 'other_version')).toMatchObject({
      theirs: '0.0.9',
    });
    expect((await status()).tray).toBe('degraded');
    // A version to come that no longer speaks with this one; and one that says more than this one knows.
    await become(`echo '{"holdfast":{"link":[2],"version":"9.0.0"}}'; exec cat`);
    expect(await seen('of another version', ({ kind }) => kind === 'other_version')).toMatchObject({
      theirs: '9.0.0',
    });
    const state = { phase: 'dreaming', needsYou: 2, running: 0, mood: 'good' };
    await become(
      `echo Welcome; echo '{"holdfast":{"link":[1,2],"version":"9.0.0","more":1}}'; echo '{"news":1}'; echo '${JSON.stringify({ state })}'; exec cat`,
    );
    expect(await seen('connected', ({ kind }) => kind === 'connected')).toMatchObject({
      version: '9.0.0',
      phase: 'unknown',
      needsYou: 2,
    });
    await become(`exec head -c 3000000 /dev/zero`);
    expect(await seen('cut off', ({ kind }) => kind === 'unreachable')).toMatchObject({
      why: 'It sent too much data.',
    });
    fs.writeFileSync(server.farProgram, ours);
    await near.hf('hosts', 'remove', 'box');
    expect((await status()).hosts).toBeUndefined();
    await near.hf('hosts', 'add', 'box', server.address);
    await seen('connected', isRunning);
  });

  it('HO-01 a near one that is killed leaves no process on the host, and one that stops waits for none', async () => {
    await near.kill(here);
    await until('its link has ended', () => links().length === 0);
    await near.hf('hosts', 'add', 'away', `ssh://127.0.0.1:${String(await freePort())}`);
    here = await startNear();
    await seen('connected', isRunning);
    const fromMs = performance.now();
    await near.stop(here);
    expect(performance.now() - fromMs).toBeLessThan(10_000);
    await until('its link has ended', () => links().length === 0);
    expect((await far.json<StatusSnapshot>('status')).phase).toBe('running');
  });
});
