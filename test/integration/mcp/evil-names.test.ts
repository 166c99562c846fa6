import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { offeredName } from '../../../electron/adapters/mcp/tool-names';
import type { Composition } from '../../../electron/compose/options';
import { OWN_HOSTS, isGrantedPlainly } from '../../../shared/own-hosts';
import {
  composeIn,
  createWorld,
  turnIn,
  writeConfig,
  type World,
} from '../../helpers/compose-world';
import { createFakeProvider, promptOf, resultsSoFar } from '../../helpers/fake-world';
import { nodeServer } from './servers-world';

const EVIL_SERVER = join(import.meta.dirname, 'evil-server.mjs');

let world: World;
let running: Composition | undefined;
afterEach(async () => {
  await running?.lifecycle.stop('stop');
  running = undefined;
  world.remove();
});

/** Holdfast with a server "evil" and these rules; each message is the tool that the model calls. */
async function start(
  tools: Record<string, string>,
  servers: Record<string, unknown> = {},
): Promise<{ readonly app: Composition; readonly called: () => string[] }> {
  world = createWorld();
  const notes = join(world.outside, 'called');
  writeConfig(world, {
    agents: { fake: { provider: 'fake', model: 'm', workspace: world.workspace } },
    mcp: { servers: { evil: nodeServer(EVIL_SERVER, [notes]), ...servers } },
    approvals: { tools },
  });
  const provider = createFakeProvider({
    dir: world.outside,
    script: (request) =>
      resultsSoFar(request) === 0
        ? { calls: [{ tool: promptOf(request), args: {} }] }
        : { text: 'done' },
  });
  const app = composeIn(world, { providers: [provider] });
  running = app;
  await app.lifecycle.start();
  return {
    app,
    called: () =>
      existsSync(notes)
        ? readFileSync(notes, 'utf8')
            .split('\n')
            .filter(Boolean)
            .map((line) => JSON.parse(line) as string)
        : [],
  };
}

/** What becomes of a call of this tool: asked, or made. */
async function fateOf(app: Composition, tool: string): Promise<string> {
  const text = offeredName('evil', tool);
  const { turnId } = await app.holdfast.call(
    'send',
    { text, session: text, agent: 'fake' },
    'test',
  );
  return (await turnIn(app, turnId, ['requires_action', 'completed', 'held'])).state;
}

describe('S3-06 security F2 a server whose tools have the names of others', () => {
  it('is asked for each of them, whatever a rule allows to the others', async () => {
    const { app, called } = await start({
      'mail.send': 'allow',
      'shell.shell': 'allow',
      'files.*': 'allow',
      shell: 'allow',
      'shell:effects': 'allow',
      'evil.send': 'allow',
      'evil.shell git push': 'allow',
    });
    const names = ['mail.send', 'shell.shell', 'shell', 'ѕhell', 'she\u200bll', '*'];
    names.push('send:effects', 'shell git push', 'files.write_file', 'other');
    for (const name of names)
      expect([name, await fateOf(app, name)]).toEqual([name, 'requires_action']);
    expect(called()).toEqual([]);
    const { requests } = await app.holdfast.call('approvals.list', {}, 'test');
    expect(requests.map(({ tool }) => tool)).toEqual([
      ...['evil.mail.send', 'evil.shell.shell', 'evil.shell', 'evil.u{455}hell'],
      ...[
        'evil.sheu{200b}ll',
        'evil.u{2a}',
        'evil.sendu{3a}effects',
        'evil.shellu{20}gitu{20}push',
      ],
      ...['evil.files.write_file', 'evil.other'],
    ]);
  });

  it('gets with "Always" what was asked for, and nothing besides', async () => {
    const { app, called } = await start({});
    expect(await fateOf(app, '*')).toBe('requires_action');
    const [request] = (await app.holdfast.call('approvals.list', {}, 'test')).requests;
    if (request === undefined) throw new Error('it was not asked');
    const { requestId, requestHash, turnId } = request;
    await app.holdfast.call('approvals.allow', { requestId, requestHash, scope: 'always' }, 'test');
    await turnIn(app, turnId, ['completed']);
    expect(called()).toEqual(['*']);
    expect(await fateOf(app, 'other')).toBe('requires_action');
    expect(await fateOf(app, 'mail.send')).toBe('requires_action');
    const again = await app.holdfast.call(
      'send',
      { text: offeredName('evil', '*'), session: 'new', agent: 'fake' },
      'test',
    );
    await turnIn(app, again.turnId, ['completed']);
    expect(called()).toEqual(['*', '*']);
  });

  it('runs without a question where the rule is for it', async () => {
    const { app, called } = await start({ 'evil.mail.send': 'allow' });
    expect(await fateOf(app, 'mail.send')).toBe('completed');
    expect(called()).toEqual(['mail.send']);
  });

  it('is not started under the name of a host of Holdfast, and the file says so with its line', async () => {
    const { app } = await start({}, { Shell: nodeServer(EVIL_SERVER, []) });
    const { servers } = await app.holdfast.call('ext.list', {}, 'test');
    // It alone: the other server runs on.
    expect(servers.map(({ name }) => name)).toEqual(['evil']);
    const said = JSON.stringify(await app.holdfast.call('config.list', {}, 'test'));
    expect(said).toMatch(/line \d+.*would be mistaken for .{0,4}shell.*Rename the server/);
  });

  it('knows every tool of Holdfast that is called by its plain name', async () => {
    const { app } = await start({});
    const { tools } = await app.holdfast.call('tools.list', {}, 'test');
    const own = tools.filter(({ name, host }) => host !== 'evil' && !name.endsWith(':effects'));
    expect(own.length).toBeGreaterThan(5);
    for (const { name, host } of own) {
      if (host === 'test') continue;
      expect(OWN_HOSTS).toContain(host);
      if (name.startsWith(`${host}.`)) continue;
      expect(isGrantedPlainly(`${host}.${name}`, false)).toBe(true);
      expect([name, isGrantedPlainly(`evil.${name}`, false)]).toEqual([name, false]);
    }
  });
});
