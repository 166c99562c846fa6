/** Known agents are looked for on the PATH that a terminal would have, and asked for their version. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { detectAgents, lookAtAgent, versionIn } from '../../../electron/adapters/acp/detect';

let root: string;
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-detect-'));
});
afterEach(() => {
  fs.rmSync(root, { recursive: true, force: true });
});

const program = (name: string, script: string): void => {
  fs.writeFileSync(path.join(root, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
};
const here = () => ({
  loginEnvironment: () => Promise.resolve({ kind: 'own' as const, reason: 'test' }),
  ownEnvironment: {
    PATH: `${root}:/usr/bin:/bin`,
    HOME: root,
    ANTHROPIC_API_KEY: 'secret',
    FORGE_TOKEN: 'secret',
    EMPTY: '',
  },
  cwd: root,
  signal: AbortSignal.timeout(20_000),
});
const detect = () => detectAgents(here());

describe('detection of agents', () => {
  it('says of each known one whether it is there, with its version and the command to add it', async () => {
    program('opencode', 'echo 1.18.33');
    program(
      'gemini',
      'if [ "$1" = --help ]; then echo "  --experimental-acp"; else echo 0.9.1; fi',
    );
    program('claude', 'echo "2.1.0 (Claude Code) $ANTHROPIC_API_KEY"');
    const found = Object.fromEntries((await detect()).map((agent) => [agent.id, agent]));
    expect(found['opencode']).toEqual({
      id: 'opencode',
      name: 'opencode',
      isInstalled: true,
      path: path.join(root, 'opencode'),
      version: '1.18.33',
      command: 'opencode acp',
    });
    expect(found['gemini']).toMatchObject({ command: 'gemini --experimental-acp' });
    expect(found['claude']).toMatchObject({
      isInstalled: false,
      version: '2.1.0',
      missing: expect.stringContaining('claude-agent-acp') as unknown,
    });
    expect(found['goose']).toMatchObject({
      isInstalled: false,
      missing: 'goose is not on your PATH.',
    });
  });

  it('finds either adapter of Codex, the one that tells its version and the one that knows no such switch', async () => {
    const look = async () => (await detect()).find(({ id }) => id === 'codex');
    program('codex', 'echo codex-cli 0.166.0');
    expect(await look()).toMatchObject({
      isInstalled: false,
      missing: expect.stringContaining('@agentclientprotocol/codex-acp') as unknown,
    });
    program('codex-acp', 'echo "@agentclientprotocol/codex-acp 2.6.0"');
    const found = { isInstalled: true, command: 'codex-acp' };
    expect(await look()).toMatchObject({ ...found, version: '2.6.0' });
    program('codex-acp', 'echo "error: unexpected argument" >&2; exit 2');
    expect(await look()).toMatchObject(found);
    expect(await look()).not.toHaveProperty('version');
  });

  it('a program that fails or prints nonsense is there all the same, without a version', async () => {
    program('codex-acp', 'exit 1');
    const codex = (await detect()).find((agent) => agent.id === 'codex');
    expect(codex).toMatchObject({ isInstalled: true, command: 'codex-acp' });
    expect(codex?.version).toBeUndefined();
    expect(versionIn('no version here')).toBeUndefined();
    expect(versionIn('tool v1.2.3-beta.1 (x)')).toBe('1.2.3-beta.1');
    expect(versionIn("GitHub Copilot CLI 1.0.102.\nRun 'copilot update'")).toBe('1.0.102');
  });
});

describe('one agent that is used', () => {
  const look = (command: string | undefined, declared: readonly string[] = []) =>
    lookAtAgent(here(), { program: command, workspace: path.join(root, 'work'), declared });
  const at = (name: string): string => path.join(root, name);

  it('S2-+05 an unknown program is found on the PATH and never run; a known one is asked for its version', async () => {
    program('mine', `touch ${at('was-run')}`);
    expect(await look('mine')).toMatchObject({ path: at('mine') });
    expect(fs.existsSync(at('was-run'))).toBe(false);
    program('claude', 'echo "2.1.0 (Claude Code)"');
    expect(await look('claude')).toMatchObject({ path: at('claude'), version: '2.1.0' });
    expect(await look(at('claude'))).toMatchObject({ path: at('claude'), version: '2.1.0' });
  });

  it('a name with a folder is looked for from the folder of the agent, as its start does; a folder or a plain file is no program', async () => {
    fs.mkdirSync(at('work'));
    fs.mkdirSync(at('folder'));
    fs.writeFileSync(at('plain'), '');
    program('work/run.sh', 'true');
    expect(await look('./run.sh')).toMatchObject({ path: at('work/run.sh') });
    for (const gone of ['run.sh', 'folder', 'plain', './gone', '/gone/x', 'x'.repeat(5000)])
      expect(await look(gone)).not.toHaveProperty('path');
  });

  it('S2-+05 names what it gets, what of that is not set, and what looks like a secret and is kept from it; never a value', async () => {
    const seen = await look(undefined, ['FORGE_TOKEN', 'EMPTY', 'GONE']);
    expect(seen).toEqual({
      env: [
        { name: 'FORGE_TOKEN', isSet: true },
        { name: 'EMPTY', isSet: false },
        { name: 'GONE', isSet: false },
      ],
      withheld: ['ANTHROPIC_API_KEY'],
    });
  });
});
