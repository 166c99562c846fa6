/** What the programs inherit that Holdfast starts for itself: ssh, and helpers of the system. S2-+05 */
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import ts from 'typescript';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSshCommands } from '../../../electron/adapters/hosts/ssh-command';
import { createPowerSource } from '../../../electron/adapters/power/power-source';
import { fetchPrograms } from '../../../electron/adapters/shared-store/server/fetch-programs';
import { installedPrograms } from '../../../electron/adapters/shared-store/server/find-programs';
import { askFar } from '../../../electron/cli/far-host';
import { programEnvironment } from '../../../electron/offline/program-environment';
import { noCrashPoints } from '../../../electron/engine/kernel/crash-points';
import { plainEnvironment } from '../../../shared/plain-environment';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const WORD = 'Zq8vK2mN4pR7tW9x';
/** By the settings, by its address, by the mark of its maker, and by its name. */
const SECRETS = {
  LLMWORD: WORD,
  OTHER: `a ${WORD}`,
  DATABASE_URL: `postgres://u:${WORD}@db/x`,
  MYVALUE: 'ghp_abcdefghijklmnop1234',
  ANTHROPIC_API_KEY: 'k-Zq8v',
};
const LEAKED = /Zq8v|ghp_/;

describe('S2-+05 the environment of', () => {
  let dir: string;
  let seen: () => string;
  beforeEach(() => {
    dir = fs.mkdtempSync(path.join(tmpdir(), 'hf-env-'));
    seen = () => fs.readFileSync(path.join(dir, 'seen'), 'utf8');
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    fs.rmSync(dir, { recursive: true });
  });
  /** A program that writes down what it inherits. */
  const make = (name: string, says = 'x'): string => {
    const file = path.join(dir, name);
    const script = `#!/bin/sh\n/usr/bin/env >> ${dir}/seen\necho '${says}'\n`;
    fs.writeFileSync(file, script, { mode: 0o755 });
    return file;
  };
  const own = (): Record<string, string> => ({
    ...SECRETS,
    PATH: `${dir}:/usr/bin:/bin`,
    HOME: dir,
    SSH_AUTH_SOCK: '/s',
    HOLDFAST_HOME: '/d',
  });
  const settings = (): void => {
    const providers = { p: { kind: 'openai', api_key_env: 'LLMWORD' } };
    fs.writeFileSync(path.join(dir, 'config.json'), JSON.stringify({ providers }));
  };

  it('ssh of a command has what ssh needs, and no secret of the settings', async () => {
    make('ssh', '"told"');
    settings();
    const env = programEnvironment(dir, own());
    const told = await askFar(env, 'box', { destination: 'box' }, ['status'], 10_000);
    expect(told).toEqual({ kind: 'answer', value: 'told' });
    expect(seen()).not.toMatch(LEAKED);
    expect(seen()).not.toContain('HOLDFAST_HOME');
    for (const line of ['SSH_AUTH_SOCK=/s', `HOME=${dir}`]) expect(seen()).toContain(line);
  });

  it('ssh of the app is asked for at each start: a name may become one of a secret', async () => {
    make('ssh');
    let env = own();
    const run = createSshCommands(() => env);
    env = { PATH: env['PATH'] ?? '', AFTER: '1' };
    await run({ destination: 'box' }, ['status'], () => undefined).ended;
    expect(seen()).toContain('AFTER=1');
    expect(seen()).not.toMatch(LEAKED);
  });

  it('the program that is asked for the power', async () => {
    make('powershell.exe');
    for (const [name, value] of Object.entries(own())) vi.stubEnv(name, value);
    await createPowerSource('win32')();
    expect(seen()).toContain('PATH=');
    expect(seen()).not.toMatch(LEAKED);
  });

  it('a PostgreSQL that is asked for its version', async () => {
    for (const name of ['initdb', 'pg_ctl']) make(name);
    make('postgres', 'postgres (PostgreSQL) 18.1');
    vi.stubEnv('LLMWORD', WORD);
    const found = await installedPrograms(own(), path.join(dir, 'none'));
    expect(found).toContainEqual({ dir: fs.realpathSync(dir), major: 18 });
    expect(seen()).not.toMatch(LEAKED);
  });

  it('npm that fetches one: its settings, and no token or password in them', async () => {
    make('npm');
    const env = {
      ...own(),
      npm_config_registry: 'https://registry.example.com/',
      'npm_config_//registry.example.com/:_authToken': WORD,
      npm_config__auth: WORD,
      npm_config_mine: WORD,
      HTTPS_PROXY: `http://u:${WORD}@proxy.example.com:3128`,
    };
    const wanted = { name: 'x', sha512: '' };
    const fetched = fetchPrograms({ share: dir, env, wanted, crashPoints: noCrashPoints });
    await expect(fetched).rejects.toThrow();
    expect(seen()).toContain('npm_config_registry=https://registry.example.com/');
    expect(seen()).not.toMatch(LEAKED);
  });

  it('any other helper: what the system needs, and what is asked for by name', () => {
    expect(plainEnvironment(own())).toEqual({ PATH: own()['PATH'] });
    expect(plainEnvironment(own(), ['HOME', 'TZ'])).toEqual({ PATH: own()['PATH'], HOME: dir });
  });
});

const STARTS = /^(?:spawn|exec|execFile)(?:Sync)?$|^fork$/;
/** Started with the whole environment, and for whom. */
const WHOLE: Readonly<Record<string, string>> = {
  'electron/shell/windows/open-workspace.ts': "a person's own editor or terminal",
  'electron/cli/demo-engine.ts': 'Holdfast itself',
  'electron/cli/verbs/lifecycle.ts': 'Holdfast itself',
  'electron/adapters/updates/start-detached.ts': 'Holdfast itself',
};
/** Calls that start a program and do not say what it inherits, or say everything. */
function startsOf(file: string, text: string): readonly string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const names = new Set<string>();
  const walk = (node: ts.Node): void => {
    if (
      ts.isVariableDeclaration(node) &&
      /^promisify\((?:\w+\.)?(?:exec|execFile)\)$/.test(node.initializer?.getText() ?? '')
    )
      names.add(node.name.getText());
    if (ts.isCallExpression(node)) {
      const name = node.expression.getText().replace(/^(?:child_process|cp|utilityProcess)\./, '');
      if (STARTS.test(name) || names.has(name)) {
        const given = node.arguments
          .filter((one) => ts.isObjectLiteralExpression(one))
          .flatMap((one) => [...one.properties])
          .find((one) => one.name?.getText() === 'env');
        const value =
          given !== undefined && ts.isPropertyAssignment(given)
            ? given.initializer.getText()
            : (given?.getText() ?? '');
        found.push(value);
      }
    }
    ts.forEachChild(node, walk);
  };
  walk(source);
  return found;
}

describe('S2-+05 every start of a program', () => {
  const files = fs
    .readdirSync(path.join(ROOT, 'electron'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => `electron/${name.replaceAll('\\', '/')}`)
    .map((name) => ({ name, text: fs.readFileSync(path.join(ROOT, name), 'utf8') }))
    .filter(({ text }) => /child_process|utilityProcess/.test(text))
    .map(({ name, text }) => ({ name, starts: startsOf(name, text) }));

  it('says what it inherits', () => {
    const silent = files.filter(({ starts }) => starts.includes('')).map(({ name }) => name);
    expect(silent.filter((name) => !(name in WHOLE))).toEqual([]);
  });

  it('is found: no list of exceptions for what is gone', () => {
    const found = files.flatMap(({ name, starts }) => (starts.length === 0 ? [] : [name]));
    expect(found.length).toBeGreaterThan(15);
    expect(found).toEqual(expect.arrayContaining(Object.keys(WHOLE)));
  });

  it('takes no whole environment of this process', () => {
    const whole = files.filter(({ starts }) =>
      starts.some((one) =>
        /^(?!plainEnvironment\(|\{ \.\.\.plainEnvironment\().*\b(?:process|io)\.env/.test(one),
      ),
    );
    expect(whole.map(({ name }) => name).filter((name) => !(name in WHOLE))).toEqual([]);
  });
});
