/**
 * A conversation that was begun in a terminal goes on in Holdfast and back: the built program, real
 * child processes, records of Claude Code as it writes them, a scripted program that resumes by number.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { VerbOutput } from '../../../shared/contract';
import type { Site } from '../rows/site';
import { createSite, until } from '../rows/site';
import { isLeftOut, NOT_LINUX } from '../../helpers/skips';
import { ACP_AGENT } from '../../helpers/acp-agent-program';

const REF = '5d0c3d1e-8a57-4a2e-9f0e-3f3c9a1b2c4d';
const MINUTE = 60_000;
type Adopted = VerbOutput<'session.adopt'>;

let site: Site;
let root: string;

beforeEach(async () => {
  site = await createSite();
  root = path.dirname(site.workspace);
  const program = path.join(root, 'claude');
  fs.copyFileSync(path.resolve('test/helpers/claude-agent.mjs'), program);
  fs.chmodSync(program, 0o755);
  const elsewhere = path.join(root, 'elsewhere');
  fs.mkdirSync(elsewhere);
  site.configure({
    agents: {
      c: { executor: 'command', command: program, workspace: site.workspace },
      other: { executor: 'command', command: program, workspace: elsewhere },
      plain: { executor: 'command', command: 'cat', workspace: site.workspace },
      p: acpAgent('list'),
      mute: acpAgent('no-load'),
    },
  });
  fs.writeFileSync(
    path.join(site.workspace, 'plan.json'),
    JSON.stringify({ calls: [], text: 'All done.' }),
  );
  fs.mkdirSync(path.join(site.workspace, 'conversations'));
});
afterEach(() => site.remove());

const acpAgent = (mode: string) => ({
  executor: 'acp',
  command: process.execPath,
  args: [ACP_AGENT, mode],
  workspace: site.workspace,
});

/** What a terminal left behind: the record of the program, and what the program itself remembers. */
function leave(ref: string, ageMs: number, words = 'Move the shop', cwd = site.workspace): void {
  const dir = path.join(root, '.claude', 'projects', cwd.replace(/[^A-Za-z0-9]/g, '-'));
  fs.mkdirSync(dir, { recursive: true });
  const file = path.join(dir, `${ref}.jsonl`);
  fs.writeFileSync(
    file,
    [
      { type: 'summary', summary: 'x' },
      { type: 'user', isMeta: true, cwd, message: { role: 'user', content: 'caveat' } },
      { type: 'user', cwd, message: { role: 'user', content: [{ type: 'text', text: words }] } },
    ]
      .map((line) => JSON.stringify(line))
      .join('\n'),
  );
  const at = new Date(Date.now() - ageMs);
  fs.utimesSync(file, at, at);
  fs.writeFileSync(path.join(site.workspace, 'conversations', `${ref}.json`), '{}');
}

function watch(ref: string, lines: readonly Record<string, unknown>[]): void {
  const dir = path.join(site.dataDir, 'watch');
  fs.mkdirSync(dir, { recursive: true });
  fs.writeFileSync(
    path.join(dir, `${ref}.jsonl`),
    lines.map((line) => `${JSON.stringify({ cwd: site.workspace, ...line })}\n`).join(''),
  );
}

/** A process as the program in a terminal is one, and what its hooks tell of it. */
function openTerminal(): { identity: Record<string, unknown>; kill(): Promise<void> } {
  const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)'], { stdio: 'ignore' });
  const stat = fs.readFileSync(`/proc/${String(child.pid)}/stat`, 'utf8');
  const [, ...fields] = stat.slice(stat.lastIndexOf(')')).split(' ');
  return {
    identity: { pid: child.pid, startTicks: fields[19] },
    async kill() {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await gone;
    },
  };
}

const told = (): { resumed: string | null; prompt: string }[] =>
  fs
    .readFileSync(path.join(site.workspace, 'told.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { resumed: string | null; prompt: string });

const refused = async (...args: string[]): Promise<string> => {
  const ended = await site.hf(...args);
  expect(ended.code, ended.out).not.toBe(0);
  return ended.err;
};

describe('a conversation that was begun in a terminal', () => {
  it('is listed with its folder and first words, inert, and goes on exactly there, also over a SIGKILL', async () => {
    leave(REF, 5 * MINUTE, 'Move the\nshop \u202Ereversed');
    leave('other-one', 2 * MINUTE, 'Elsewhere', path.join(root, 'elsewhere'));
    const host = await site.start();
    const { conversations } = await site.json<Adopted>('session', 'adopt', 'c');
    expect(conversations).toMatchObject([{ ref: REF, folder: site.workspace }]);
    expect(conversations[0]?.firstWords).toBe('Move the ⏎ shop \\u{202e}reversed');
    const { session } = await site.json<Adopted>(
      'session',
      'adopt',
      'c',
      '--id',
      REF,
      '--session',
      'shop',
    );
    expect(session).toMatchObject({ key: 'shop', agent: 'c', turns: 0 });
    // On disk before it was answered.
    await site.kill(host);
    await site.start();
    await site.turnIn(await site.send('go on', '--session', 'shop'), 'completed');
    expect(told()).toMatchObject([{ resumed: REF, prompt: 'go on' }]);
    expect((await site.json<Adopted>('session', 'adopt', 'c')).conversations).toMatchObject([
      { ref: REF, session: 'shop' },
    ]);
    expect(await refused('session', 'adopt', 'c', '--id', REF)).toContain(
      '"shop" already has this conversation',
    );
  });

  it('is handed back: turns ask until it is taken over again, then the same turn goes on there', async () => {
    leave(REF, 5 * MINUTE);
    await site.start();
    await site.json('session', 'adopt', 'c', '--id', REF, '--session', 'shop');
    const back = await site.hf('session', 'open-in-terminal', 'shop');
    expect(back.out.trim()).toBe(
      `cd ${site.workspace} && ${path.join(root, 'claude')} --resume ${REF}`,
    );
    const turnId = await site.send('meanwhile', '--session', 'shop');
    await site.turnIn(turnId, 'parked');
    expect((await site.show(turnId)).turn.reason).toContain(
      `holdfast sessions attach c --id ${REF}`,
    );
    expect(fs.existsSync(path.join(site.workspace, 'told.jsonl'))).toBe(false);
    // A resume alone does not take it away from the terminal.
    await site.hf('recovery', 'resume', String(turnId));
    await site.turnIn(turnId, 'parked');
    expect(await refused('session', 'adopt', 'c', '--id', REF, '--session', 'new')).toContain(
      '"shop"',
    );
    const { session } = await site.json<Adopted>('session', 'adopt', 'c', '--id', REF);
    expect(session?.key).toBe('shop');
    await until('the turn is parked again and resumed', async () => {
      const ended = await site.hf('recovery', 'resume', String(turnId));
      return ended.code === 0;
    });
    await site.turnIn(turnId, 'completed');
    expect(told()).toMatchObject([{ resumed: REF, prompt: 'meanwhile' }]);
  });

  it.skipIf(isLeftOut('adopting by the process table', NOT_LINUX))(
    'is refused while its watched terminal lives, and where its record was just written to; once taken over, no turn goes on beside a terminal that has opened it again',
    async () => {
      leave(REF, 5 * MINUTE);
      leave('warm', 0);
      const terminal = openTerminal();
      watch(REF, [
        { atMs: Date.now() - 5 * MINUTE, event: 'SessionStart', ...terminal.identity },
        {
          atMs: Date.now() - 5 * MINUTE,
          event: 'PreToolUse',
          tool: 'Bash',
          callId: 'a',
          input: '{"command":"deploy"}',
        },
      ]);
      try {
        await site.start();
        expect(await refused('session', 'adopt', 'c', '--id', REF)).toContain(
          'watched terminal is still',
        );
        expect(await refused('session', 'adopt', 'c', '--id', 'warm')).toContain('s ago');
        expect(site.db('SELECT id FROM sessions')).toEqual([]);
        expect(site.db('SELECT ref FROM outside_sessions')).toEqual([]);
      } finally {
        await terminal.kill();
      }
      // Killed: nobody needs to wait for a minute.
      expect(
        (await site.json<Adopted>('session', 'adopt', 'c', '--id', REF)).session,
      ).toBeDefined();
      const client = await site.client();
      const { terminals } = await client.call('watch.list', {});
      client.close();
      expect(terminals).toMatchObject([
        { ref: REF, state: 'in_call', agents: ['c'], session: 'c-1', open: [{ about: 'deploy' }] },
      ]);
      // Opened there again without being handed back: no turn goes on beside it.
      const again = openTerminal();
      watch(REF, [{ atMs: Date.now(), event: 'SessionStart', ...again.identity }]);
      const turnId = await site.send('meanwhile', '--session', 'c-1');
      try {
        await site.turnIn(turnId, 'parked');
        expect((await site.show(turnId)).turn.reason).toMatch(
          /^A watched terminal is in this conversation: .* End it there, then resume\.$/,
        );
        expect(fs.existsSync(path.join(site.workspace, 'told.jsonl'))).toBe(false);
      } finally {
        await again.kill();
      }
      await site.hf('recovery', 'resume', String(turnId));
      await site.turnIn(turnId, 'completed');
      expect(told()).toMatchObject([{ resumed: REF, prompt: 'meanwhile' }]);
    },
  );

  it('stays where it is: another folder, an unknown number, a program that keeps none, a slip', async () => {
    leave(REF, 5 * MINUTE);
    await site.start();
    expect(await refused('session', 'adopt', 'other', '--id', REF)).toContain(
      'belongs to the folder',
    );
    expect(await refused('session', 'adopt', 'c', '--id', 'nobody')).toContain(
      'no conversation nobody',
    );
    expect(await refused('session', 'adopt', 'c', '--id', '../../etc/passwd')).toContain(
      'no conversation',
    );
    expect(await refused('session', 'adopt', 'nobody')).toContain('no agent "nobody"');
    expect((await site.json<Adopted>('session', 'adopt', 'plain')).note).toContain(
      'stores no conversations',
    );
    expect(site.db('SELECT id FROM sessions')).toEqual([]);
  });

  it('of an agent of the protocol: listed where it tells, said where it does not, and gone on with by its number', async () => {
    const sessions = path.join(root, 'acp-sessions');
    fs.mkdirSync(sessions);
    fs.writeFileSync(path.join(sessions, 'talk-1.json'), JSON.stringify({ done: [], said: [] }));
    await site.start();
    const { conversations } = await site.json<Adopted>('session', 'adopt', 'p');
    expect(conversations).toMatchObject([
      { ref: 'talk-1', folder: site.workspace, firstWords: 'a\\u{202e}title ⏎ of two lines' },
    ]);
    expect((await site.json<Adopted>('session', 'adopt', 'mute')).note).toMatch(
      /does not list .* cannot resume/,
    );
    expect(await refused('session', 'adopt', 'mute', '--id', 'talk-1')).toContain(
      'no conversation talk-1',
    );
    expect(await refused('session', 'adopt', 'p', '--id', 'talk-2')).toContain(
      'no conversation talk-2',
    );
    await site.json('session', 'adopt', 'p', '--id', 'talk-1', '--session', 'talk');
    await site.turnIn(await site.send('do: say hello', '--session', 'talk'), 'completed');
    expect(site.db('SELECT ref FROM outside_sessions')).toEqual([{ ref: 'talk-1' }]);
    expect(await refused('session', 'open-in-terminal', 'talk')).toContain('does not know how');
  });
});
