import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { ESLint } from 'eslint';
import { beforeAll, describe, expect, it } from 'vitest';
// @ts-expect-error plain JavaScript: it runs before anything is built
import * as rules from '../../../build/lint-layers.mjs';

const { layers, roomOrder } = rules as {
  layers: ESLint.ConfigData[];
  roomOrder: readonly (readonly string[])[];
};

// Through require: Vite would look for the source maps that the package does not ship.
const parser = createRequire(import.meta.url)('@typescript-eslint/parser') as unknown;

const eslint = new ESLint({
  overrideConfigFile: true,
  overrideConfig: [
    {
      files: ['**/*.{ts,tsx}'],
      languageOptions: {
        parser,
        parserOptions: { ecmaFeatures: { jsx: true } },
      },
    },
    ...layers,
  ] as never,
});

const complaints = async (filePath: string, code: string): Promise<string[]> => {
  const [result] = await eslint.lintText(`${code}\n`, { filePath });
  return (result?.messages ?? []).map((message) => message.ruleId ?? message.message);
};

const imports = 'no-restricted-imports';
const syntax = 'no-restricted-syntax';

/** file, code, the rule that must complain */
const planted: readonly (readonly [string, string, string])[] = [
  ['electron/engine/journal/a.ts', "import { app } from 'electron';", imports],
  ['electron/engine/journal/a.ts', "import type { App } from 'electron';", imports],
  ['electron/engine/journal/a.ts', "import fs from 'node:fs';", imports],
  ['electron/engine/journal/a.ts', "import fs from 'fs';", imports],
  ['electron/engine/journal/a.ts', "import Database from 'better-sqlite3';", imports],
  ['electron/engine/journal/a.ts', "import { tray } from '../../shell/tray/tray';", imports],
  ['electron/engine/journal/a.ts', "import { db } from '../../adapters/sqlite';", imports],
  ['electron/engine/journal/a.ts', "export { x } from '../../ipc/register';", imports],
  ['electron/engine/journal/deep/a.ts', "import { x } from '../../../compose';", imports],
  ['electron/engine/journal/a.ts', "import { plan } from '../recovery';", imports],
  ['electron/engine/journal/a.ts', "import { trip } from '../breaker';", imports],
  ['electron/engine/breaker/a.ts', "import { hold } from '../outage/outage-queue';", imports],
  ['electron/engine/kernel/a.ts', "import { append } from '../journal';", imports],
  ['electron/engine/executors/a.ts', "import { inbox } from '../replies';", imports],
  ['electron/engine/status/a.ts', "import type { Facade } from '../api/facade';", imports],
  ['electron/engine/status/a.ts', "import type { Handlers } from '../api/handlers';", imports],
  ['electron/engine/api/a.ts', "import { db } from '../../adapters/sqlite';", imports],
  ['electron/ports/a.ts', "import { plan } from '../engine/recovery';", imports],
  ['electron/ports/a.ts', "import { z } from 'electron-store';", imports],
  ['electron/adapters/sqlite/a.ts', "import { plan } from '../../engine/recovery';", imports],
  ['electron/adapters/sqlite/a.ts', "import { app } from 'electron';", imports],
  ['electron/adapters/sqlite/a.ts', "import { open } from '../../shell/windows';", imports],
  ['electron/cli/a.ts', "import Store from 'electron-store';", imports],
  ['electron/cli/a.ts', "import { db } from '../adapters/sqlite';", imports],
  ['electron/cli/a.ts', "import { compose } from '../compose/compose';", imports],
  ['electron/cli/a.ts', "import { offline } from '../offline/offline';", imports],
  ['electron/compose/a.ts', "import { offline } from '../offline/offline';", imports],
  [
    'electron/adapters/config/a.ts',
    "import type { ComposeOptions } from '../../compose/options';",
    imports,
  ],
  [
    'electron/shell/tray/a.ts',
    "import { plan } from '../../engine/recovery/plan-resume';",
    imports,
  ],
  ['electron/ipc/a.ts', "import { db } from '../adapters/sqlite';", imports],
  ['electron/node.ts', "import { app } from 'electron';", imports],
  ['electron/compose/compose.ts', "import { app } from 'electron';", imports],
  ['electron/shell/a.ts', "import remote from '@electron/remote';", imports],
  ['renderer/a.tsx', "import { app } from 'electron';", imports],
  ['renderer/a.tsx', "import fs from 'node:fs';", imports],
  ['renderer/a.tsx', "import type { Facade } from '../electron/engine/api/facade';", imports],
  ['shared/a.ts', "import { x } from '../electron/ports/clock';", imports],
  ['shared/a.ts', "import { app } from 'electron';", imports],
  [
    'electron/engine/journal/a.ts',
    'export const t = () => Date.now();',
    'no-restricted-properties',
  ],
  ['shared/a.ts', 'export const t = () => Math.random();', 'no-restricted-properties'],
  ['electron/engine/turns/a.ts', 'export const t = () => process.env;', 'no-restricted-properties'],
  ['electron/engine/breaker/a.ts', 'setTimeout(() => undefined, 1);', 'no-restricted-globals'],
  ['electron/ports/a.ts', "void fetch('x');", 'no-restricted-globals'],
  ['electron/engine/breaker/a.ts', 'export const t = new Date();', syntax],
  ['electron/engine/breaker/a.ts', "void import('node:fs');", syntax],
  ['electron/engine/breaker/a.ts', 'export default 1;', syntax],
  ['electron/adapters/command/a.ts', "spawn('ls', { shell: true });", syntax],
  ['electron/shell/windows/a.ts', "window.loadFile('x.html');", syntax],
  ['electron/shell/windows/a.ts', "shell.openExternal('https://x');", syntax],
  ['electron/adapters/files/a.ts', "openSync('D/lock.db', 'r');", syntax],
  ['electron/adapters/sqlite/a.ts', 'open(`${dir}/lock.db`);', syntax],
  ['renderer/a.tsx', "element.innerHTML = '<b>';", syntax],
  ['renderer/a.tsx', 'export const a = <p dangerouslySetInnerHTML={{ __html: x }} />;', syntax],
];

/** What must stay possible, or the rules would be worked around. */
const allowed: readonly (readonly [string, string])[] = [
  ['electron/engine/recovery/a.ts', "import { turn } from '../journal';"],
  ['electron/engine/recovery/a.ts', "import { HoldfastError } from '../kernel/errors';"],
  ['electron/engine/recovery/a.ts', "import type { Clock } from '../../ports/clock';"],
  ['electron/engine/recovery/a.ts', "import type { Turn } from '../../../shared/types';"],
  ['electron/engine/recovery/a.ts', 'export const at = (ms: number) => new Date(ms);'],
  ['electron/engine/schedule/a.ts', "import { Cron } from 'croner';"],
  ['electron/adapters/sqlite/a.ts', "import Database from 'better-sqlite3';"],
  ['electron/adapters/sqlite/a.ts', "import { HoldfastError } from '../../engine/kernel/errors';"],
  ['electron/adapters/instance/a.ts', "openSync('D/lock.db', 'r');"],
  ['electron/shell/tray/a.ts', "import { Tray } from 'electron';"],
  ['electron/shell/settings/a.ts', "import Store from 'electron-store';"],
  ['electron/shell/windows/open-external.ts', "void shell.openExternal('https://x');"],
  ['electron/ipc/register.ts', "import { ipcMain } from 'electron';"],
  ['electron/main-program.ts', "import { app } from 'electron';"],
  ['electron/compose/compose.ts', "import { plan } from '../engine/recovery/plan-resume';"],
  ['electron/cli/a.ts', "import type { ComposeOptions } from '../compose/options';"],
  ['renderer/a.tsx', "import type { Snapshot } from '../shared/types';"],
];

describe('set-up: the layers', () => {
  let inForce: Record<string, unknown>;
  beforeAll(async () => {
    const real = new ESLint();
    inForce = (
      (await real.calculateConfigForFile('electron/engine/journal/a.ts')) as ESLint.ConfigData
    ).rules as Record<string, unknown>;
  });

  it.each(planted)('set-up finds in %s: %s', async (file, code, rule) => {
    expect(await complaints(file, code)).toContain(rule);
  });

  it.each(allowed)('set-up lets %s write: %s', async (file, code) => {
    expect(await complaints(file, code)).toEqual([]);
  });

  it('set-up has these rules in force in the configuration that npm run lint uses', () => {
    for (const rule of [imports, syntax, 'no-restricted-properties', 'no-restricted-globals']) {
      expect(inForce[rule], rule).toBeDefined();
      expect((inForce[rule] as unknown[])[0], rule).toBe(2);
    }
  });

  it('set-up knows every engine room that exists, so that none is without a place in the order', () => {
    const rooms = readdirSync('electron/engine', { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
    expect([...roomOrder.flat(), 'api']).toEqual(expect.arrayContaining(rooms));
  });
});
