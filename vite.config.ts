/**
 * One file for every build and every test.
 *
 * `vite build --app` writes:
 *   dist/renderer/            the windows (React, relative URLs)
 *   dist/electron/main.js     the app inside Electron: an ES module, which Electron waits for, runs
 *                             main-program.cjs and its chunks (CommonJS with the code compiled
 *                             beforehand: electron/compiled-code.ts)
 *   dist/electron/preload.cjs CommonJS, because a sandboxed preload cannot be ESM
 *   dist/node/holdfast.cjs    headless and the command line on plain Node (CommonJS, which Node can
 *                             load with the code compiled beforehand: electron/compiled-code.ts)
 * With HOLDFAST_BUILD_TEST_HOSTS=1 also dist/test-hosts/, the program that the crash tests kill, and
 * dist/story/, those that fill a data directory with a day. HOLDFAST_BUILD_ONLY=test-hosts or =bench
 * writes just those programs.
 *
 * Whatever package.json calls a dependency stays an import, except for what every start loads;
 * devDependencies are bundled.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import type { EnvironmentOptions, Plugin, ViteBuilder } from 'vite';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import {
  bindingOfPackage,
  engineApart,
  iconFirst,
  noChunkCycle,
  nodeGroups,
  plainNode,
  startGroups,
} from './build/chunks.ts';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const { dependencies } = JSON.parse(readFileSync(at('./package.json'), 'utf8')) as {
  dependencies: Record<string, string>;
};

/** Pure JavaScript that every start loads: as one file it costs a tenth of the time of many. */
const bundled = ['zod', 'commander', 'unbash'];

/** Packages that cannot be required: the programs are CommonJS. */
const modulesOnly = ['conf', '@agentclientprotocol/sdk', 'electron-store'];

/** What the running app loads from Node, Electron or node_modules by itself. */
const keptBut = (inside: readonly string[]) => {
  const names = [
    'electron',
    'playwright-core',
    ...builtinModules,
    ...Object.keys(dependencies).filter((name) => !inside.includes(name)),
  ];
  return {
    names,
    includes: (id: string): boolean =>
      id.startsWith('node:') || names.some((name) => id === name || id.startsWith(`${name}/`)),
  };
};
const kept = keptBut(bundled);
/** Of better-sqlite3 only what finds and loads its binary comes from the package: bindingOfPackage(). */
const keptByPrograms = keptBut([...bundled, ...modulesOnly, 'better-sqlite3']);

/**
 * Every start reads all of it: without comments, spaces and long names of what is local it is a third
 * as long. Functions keep their names, so that a stack trace in the log can be read.
 */
const shortened = {
  compress: false,
  mangle: { toplevel: false, keepNames: true },
  codegen: true,
} as const;

/**
 * The frame in the page is painted while the styles of everything in it are still being read: a
 * stylesheet in the head would hold up the first paint, and with it the window.
 */
const frameFirst = (): Plugin => ({
  name: 'holdfast:frame-first',
  transformIndexHtml: {
    order: 'post',
    handler(html) {
      const sheets = html.match(/<link rel="stylesheet"[^>]*>/g) ?? [];
      const rest = html.replace(/\s*<link rel="stylesheet"[^>]*>/g, '');
      return rest.replace('</body>', `  ${sheets.join('\n    ')}\n  </body>`);
    },
  },
});

/** Every program directly inside a folder of test/. */
const programsIn = (folder: string): string[] => {
  const dir = at(folder);
  if (!existsSync(dir)) return [];
  return readdirSync(dir)
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .map((name) => `${dir}/${name}`);
};

const only = process.env['HOLDFAST_BUILD_ONLY'];
const withTestHosts =
  only === 'test-hosts' || (only === undefined && process.env['HOLDFAST_BUILD_TEST_HOSTS'] === '1');
const storyPrograms = programsIn('./test/story');
const benchPrograms = programsIn('./test/bench');

const resolveWith = ({ names }: { names: string[] }) => ({
  noExternal: true as const,
  external: names,
});

/** A program whose code is compiled ahead: electron/compiled-code.ts. */
const compiledProgram = (
  input: Record<string, string>,
  outDir: string,
  inElectron?: { plugins: Plugin[] },
  groups?: typeof startGroups,
) => ({
  consumer: 'server' as const,
  resolve: resolveWith(keptByPrograms),
  build: {
    outDir: at(outDir),
    // In Electron the entry is there already.
    emptyOutDir: inElectron === undefined,
    target: 'node20',
    minify: false,
    sourcemap: true,
    rolldownOptions: {
      input,
      external: keptByPrograms.includes,
      plugins: [
        bindingOfPackage(),
        ...(groups === nodeGroups ? [engineApart()] : []),
        ...(inElectron?.plugins ?? [plainNode(['electron', 'electron-store'])]),
      ],
      output: {
        format: 'cjs' as const,
        // Code that was compiled ahead has lost its import hook; it can require both kinds.
        dynamicImportInCjs: false,
        minify: shortened,
        charset: 'ascii' as const,
        entryFileNames: '[name].cjs',
        chunkFileNames: 'chunks/[name]-[hash].cjs',
        ...(groups && { codeSplitting: { groups } }),
      },
    },
  },
});

/** Programs for plain Node that are no part of the app. */
const programs = (
  input: string[],
  outDir: string,
  minify: typeof shortened | false,
  groups?: typeof startGroups,
) => ({
  consumer: 'server' as const,
  resolve: resolveWith(kept),
  build: {
    outDir: at(outDir),
    emptyOutDir: true,
    target: 'node20',
    minify: false,
    sourcemap: true,
    rolldownOptions: {
      input,
      external: kept.includes,
      output: {
        format: 'esm' as const,
        minify,
        entryFileNames: '[name].js',
        chunkFileNames: 'chunks/[name]-[hash].js',
        ...(groups && { codeSplitting: { groups } }),
      },
    },
  },
});

const buildApp = async (builder: ViteBuilder): Promise<void> => {
  const build = async (name: string): Promise<void> => {
    const environment = builder.environments[name];
    if (!environment) throw new Error(`vite.config.ts has no environment called ${name}`);
    await builder.build(environment);
  };
  if (only === undefined) {
    await build('client');
    await build('main');
    await build('mainProgram');
    await build('node');
    await build('preload');
  }
  if (withTestHosts) {
    await build('crashHosts');
    await build('agent');
    await build('story');
  }
  if (only === 'bench' && benchPrograms.length > 0) await build('bench');
};

// Vite takes the renderer folder as its root; vitest takes the project.
const isTest = process.env['VITEST'] !== undefined;

/**
 * How long a test may take is no promise that it checks: most end in a second, some start 9 processes one
 * after the other, and beside ten other programs each takes a minute. The limits are for what hangs.
 */
const MINUTE_MS = 60_000;

/** One suite per folder of test/. Suites of one group run together; the windows run alone. */
const suite = (
  name: string,
  options: {
    timeoutMs: number;
    group: number;
    globalSetup?: readonly string[];
    /** Runs before each file. */
    setupFiles?: readonly string[];
    pool?: 'threads';
    maxWorkers?: number;
  },
) => ({
  extends: true as const,
  test: {
    name,
    include: [`test/${name}/**/*.test.{ts,tsx}`],
    environment: 'node' as const,
    testTimeout: options.timeoutMs,
    // What has to come does come; how soon is not what a test on a busy machine can say.
    expect: { poll: { timeout: options.timeoutMs / 2 } },
    hookTimeout: options.timeoutMs,
    ...(options.maxWorkers === undefined ? {} : { maxWorkers: options.maxWorkers }),
    // Files share one module graph per worker: loading it again costs more than most tests.
    isolate: false,
    ...(options.pool === undefined ? {} : { pool: options.pool }),
    setupFiles: (options.setupFiles ?? []).map((path) => at(path)),
    sequence: { groupOrder: options.group },
    globalSetup: (options.globalSetup ?? []).map((path) => at(path)),
  },
});

const CORES = availableParallelism();
/** They compute: each worker more loads everything once more, and all of them wait for the processor. */
const COMPUTING = { group: 0, maxWorkers: CORES + 1 };
/** Most of them wait for a process more than they compute: with 5 workers two cores were busy for half of the time. */
const WAITING = { group: 1, maxWorkers: Math.min(4 * CORES, CORES + 12) };

/** What takes a minute and more. Begun last, one of them would keep a single worker busy to the end. */
const LONGEST = [
  'crash/crash-points.test.ts',
  'crash/limit-points.test.ts',
  'crash/channels-points.test.ts',
  'crash/recovery.test.ts',
  'crash/wakes.test.ts',
  'crash/outside-agents.test.ts',
  'crash/delivery.test.ts',
  'e2e/pages.test.ts',
  'e2e/tray.test.ts',
  'e2e/window.test.ts',
  'e2e/unsent.test.ts',
  'integration/cli/headless.test.ts',
  'integration/limits/waits.test.ts',
  'integration/rows/work.test.ts',
  'integration/browser/browser-hostile.test.ts',
  'integration/command/command-agents.test.ts',
  'integration/rows/exits.test.ts',
  'integration/rows/recovery.test.ts',
  'component/agents.test.tsx',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const found = LONGEST.findIndex((name) => moduleId.endsWith(`/test/${name}`));
      return found === -1 ? LONGEST.length : found;
    };
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other));
  }
}

const built = './build/setup/vitest-built.mjs';
const eachPage = './test/component/each-page.ts';
const ownTime = './test/unit/own-time.ts';
const ownDisplay = './test/e2e/own-display.ts';
const electron = './build/setup/vitest-electron.mjs';

/** What is built, each for where it runs. */
const environments: Record<string, EnvironmentOptions> = {
  client: {
    build: {
      outDir: at('./dist/renderer'),
      emptyOutDir: true,
      target: 'chrome130',
      // The content policy takes fonts from files only.
      assetsInlineLimit: (file) => (file.endsWith('.woff2') ? false : undefined),
      chunkSizeWarningLimit: 2000,
      rolldownOptions: {
        input: {
          index: at('./renderer/index.html'),
          settings: at('./renderer/settings.html'),
          quick: at('./renderer/quick.html'),
        },
      },
    },
  },
  main: {
    consumer: 'server',
    resolve: resolveWith(kept),
    build: {
      outDir: at('./dist/electron'),
      emptyOutDir: true,
      target: 'node20',
      minify: false,
      rolldownOptions: {
        input: { main: at('./electron/main.ts') },
        external: kept.includes,
        output: { format: 'esm', entryFileNames: '[name].js', codeSplitting: false },
      },
    },
  },
  mainProgram: compiledProgram(
    { 'main-program': at('./electron/main-program.ts') },
    './dist/electron',
    { plugins: [iconFirst(), noChunkCycle()] },
    startGroups,
  ),
  node: compiledProgram(
    {
      holdfast: at('./electron/node.ts'),
      'node-program': at('./electron/node-program.ts'),
      // What the build compiles programs with.
      'compiled-code': at('./electron/compiled-code.ts'),
    },
    './dist/node',
    undefined,
    nodeGroups,
  ),
  preload: {
    consumer: 'server',
    resolve: { noExternal: true, external: ['electron'] },
    build: {
      outDir: at('./dist/electron'),
      emptyOutDir: false,
      target: 'chrome130',
      minify: false,
      rolldownOptions: {
        input: { preload: at('./electron/preload.ts') },
        external: ['electron'],
        output: { format: 'cjs', entryFileNames: '[name].cjs', codeSplitting: false },
      },
    },
  },
  crashHosts: compiledProgram(
    {
      'engine-host': at('./test/crash/hosts/engine-host.ts'),
      'engine-life': at('./test/crash/hosts/engine-life.ts'),
      'engine-parts': at('./test/crash/hosts/engine-parts.ts'),
      'engine-ready': at('./test/crash/hosts/engine-ready.ts'),
      'program-ready': at('./test/crash/hosts/program-ready.ts'),
      'update-program': at('./test/crash/hosts/update-program.ts'),
      'compiled-code': at('./electron/compiled-code.ts'),
    },
    './dist/test-hosts',
  ),
  // Tests start it hundreds of times: read as one file it costs half of what its packages do.
  agent: {
    consumer: 'server',
    resolve: resolveWith(keptByPrograms),
    build: {
      outDir: at('./dist/test-agent'),
      emptyOutDir: true,
      target: 'node20',
      minify: false,
      rolldownOptions: {
        input: at('./test/helpers/acp-agent.mjs'),
        external: keptByPrograms.includes,
        output: {
          format: 'esm',
          minify: true,
          entryFileNames: 'acp-agent.mjs',
          codeSplitting: false,
        },
      },
    },
  },
  story: programs(storyPrograms, './dist/story', shortened),
  // In as few files as the app: what is measured is the program, not how Node finds its parts.
  bench: programs(benchPrograms, './dist/bench', false, startGroups),
};

export default defineConfig({
  root: isTest ? at('./') : at('./renderer'),
  base: './',
  plugins: [react(), frameFirst()],
  // What they bundle is for builds: vitest would take it for what to transform, 1,000 files of packages.
  environments: isTest ? {} : environments,
  builder: { buildApp },
  test: {
    sequence: { sequencer: LongestFirst },
    // What one suite has transformed the next one reads, and so does the next run.
    experimental: {
      fsModuleCache: true,
      fsModuleCachePath: at('./node_modules/.cache/holdfast/vitest'),
    },
    projects: [
      suite('unit', { timeoutMs: MINUTE_MS, ...COMPUTING, pool: 'threads', setupFiles: [ownTime] }),
      suite('component', { timeoutMs: 2 * MINUTE_MS, ...COMPUTING, setupFiles: [eachPage] }),
      suite('contract', { timeoutMs: MINUTE_MS, ...COMPUTING }),
      suite('security', { timeoutMs: 4 * MINUTE_MS, ...WAITING, globalSetup: [built] }),
      suite('integration', { timeoutMs: 4 * MINUTE_MS, ...WAITING, globalSetup: [built] }),
      suite('crash', {
        timeoutMs: 10 * MINUTE_MS,
        group: 2,
        globalSetup: [built],
        // Most of its tests are three at once themselves, one for each recovery mode: two keep two cores busy.
        maxWorkers: Math.max(2, CORES),
      }),
      suite('e2e', {
        timeoutMs: 4 * MINUTE_MS,
        group: 3,
        globalSetup: [built, electron],
        setupFiles: [ownDisplay],
        // An app waits a third of its time.
        maxWorkers: 3,
      }),
      // Programs of others give up what does not start in time: nothing else runs beside them.
      suite('programs', {
        timeoutMs: 10 * MINUTE_MS,
        group: 4,
        globalSetup: [built],
        maxWorkers: 1,
      }),
    ],
  },
});
