/**
 * One file for every build and every test.
 *
 * `vite build --app` writes:
 *   dist/renderer/            the two windows (React, relative URLs)
 *   dist/electron/main.js     the app inside Electron (ESM, lazy parts as chunks)
 *   dist/electron/node.js     headless and the command line on plain Node (same environment, shared chunks)
 *   dist/electron/preload.cjs CommonJS, because a sandboxed preload cannot be ESM
 * With HOLDFAST_BUILD_ONLY=test-hosts it writes dist/test-hosts/*.js instead: the small programs
 * that the crash tests kill. With HOLDFAST_BUILD_TEST_HOSTS=1 it writes both.
 *
 * Whatever package.json calls a dependency stays an import; devDependencies are bundled.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import type { Plugin, ViteBuilder } from 'vite';
import { defineConfig } from 'vitest/config';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const { dependencies } = JSON.parse(readFileSync(at('./package.json'), 'utf8')) as {
  dependencies: Record<string, string>;
};

const kept = ['electron', ...builtinModules, ...Object.keys(dependencies)];

/** True for what the running app loads from Node, Electron or node_modules by itself. */
const isKept = (id: string): boolean =>
  id.startsWith('node:') || kept.some((name) => id === name || id.startsWith(`${name}/`));

/**
 * Fails the build when plain Node would have to load Electron: `node.js` and everything it can
 * reach, by import or by dynamic import, must run where Electron is not installed.
 */
const plainNode = (entry: string, banned: readonly string[]): Plugin => ({
  name: 'holdfast:plain-node',
  generateBundle(_options, bundle) {
    const seen = new Set<string>();
    const walk = (fileName: string, trail: readonly string[]): void => {
      if (seen.has(fileName)) return;
      seen.add(fileName);
      const chunk = bundle[fileName];
      if (chunk?.type !== 'chunk') return;
      for (const next of [...chunk.imports, ...chunk.dynamicImports]) {
        if (banned.some((name) => next === name || next.startsWith(`${name}/`))) {
          this.error(`${[...trail, fileName].join(' -> ')} imports ${next}, but must run without`);
        }
        walk(next, [...trail, fileName]);
      }
    };
    if (bundle[entry]) walk(entry, []);
  },
});

const hostsDir = at('./test/crash/hosts');
const testHosts = existsSync(hostsDir)
  ? readdirSync(hostsDir)
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
      .map((name) => `${hostsDir}/${name}`)
  : [];

const onlyTestHosts = process.env['HOLDFAST_BUILD_ONLY'] === 'test-hosts';
const withTestHosts = onlyTestHosts || process.env['HOLDFAST_BUILD_TEST_HOSTS'] === '1';

const nodeResolve = { noExternal: true as const, external: kept };

const buildApp = async (builder: ViteBuilder): Promise<void> => {
  const build = async (name: string): Promise<void> => {
    const environment = builder.environments[name];
    if (!environment) throw new Error(`vite.config.ts has no environment called ${name}`);
    await builder.build(environment);
  };
  if (!onlyTestHosts) {
    await build('client');
    await build('main');
    await build('preload');
  }
  if (withTestHosts && testHosts.length > 0) await build('testHosts');
};

// Vite takes the renderer folder as its root; vitest takes the project.
const isTest = process.env['VITEST'] !== undefined;

/** One suite per folder of test/. Slow suites run one file at a time, so that timings mean something. */
const suite = (name: string, options: { timeoutMs: number; parallel: boolean }) => ({
  extends: true as const,
  test: {
    name,
    include: [`test/${name}/**/*.test.{ts,tsx}`],
    environment: 'node' as const,
    testTimeout: options.timeoutMs,
    hookTimeout: options.timeoutMs,
    fileParallelism: options.parallel,
  },
});

export default defineConfig({
  root: isTest ? at('./') : at('./renderer'),
  base: './',
  plugins: [react()],
  environments: {
    client: {
      build: {
        outDir: at('./dist/renderer'),
        emptyOutDir: true,
        target: 'chrome130',
        rolldownOptions: {
          input: { index: at('./renderer/index.html'), settings: at('./renderer/settings.html') },
        },
      },
    },
    main: {
      consumer: 'server',
      resolve: nodeResolve,
      build: {
        outDir: at('./dist/electron'),
        emptyOutDir: true,
        target: 'node20',
        minify: false,
        sourcemap: true,
        rolldownOptions: {
          input: { main: at('./electron/main.ts'), node: at('./electron/node.ts') },
          external: isKept,
          plugins: [plainNode('node.js', ['electron', 'electron-store'])],
          output: {
            format: 'esm',
            entryFileNames: '[name].js',
            chunkFileNames: 'chunks/[name]-[hash].js',
          },
        },
      },
    },
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
    testHosts: {
      consumer: 'server',
      resolve: nodeResolve,
      build: {
        outDir: at('./dist/test-hosts'),
        emptyOutDir: true,
        target: 'node20',
        minify: false,
        sourcemap: true,
        rolldownOptions: {
          input: testHosts,
          external: isKept,
          output: {
            format: 'esm',
            entryFileNames: '[name].js',
            chunkFileNames: 'chunks/[name]-[hash].js',
          },
        },
      },
    },
  },
  builder: { buildApp },
  test: {
    projects: [
      suite('unit', { timeoutMs: 10_000, parallel: true }),
      suite('contract', { timeoutMs: 20_000, parallel: true }),
      suite('security', { timeoutMs: 30_000, parallel: true }),
      suite('integration', { timeoutMs: 30_000, parallel: true }),
      suite('crash', { timeoutMs: 120_000, parallel: false }),
      suite('e2e', { timeoutMs: 90_000, parallel: false }),
    ],
  },
});
