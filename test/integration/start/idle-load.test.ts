/** What a start without work reads and runs: a list, so that it does not grow unseen. W4. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const entry = fileURLToPath(new URL('../../../dist/node/holdfast.cjs', import.meta.url));

/** Loaded with the first use, whatever else a start needs. */
const LATER = [
  /shared\/contract/,
  // The engine’s own words: reasons of turns and schedules, and what a tool does.
  /shared\/messages\/en-(?!(?:schedule|words|reasons)\.ts)/,
  /shared\/(?:types\/|far-)/,
  /electron\/cli\/verbs\//,
  /electron\/(?:adapters\/git-workspace\/|engine\/hosts\/(?!lazy-hosts\.ts))/,
  /electron\/adapters\/(?:acp|channels)\//,
  // Joining a store, what a run asks of it and whether its server is ours are there before one is joined; they load the rest.
  /electron\/adapters\/shared-store\/(?!server\/share-host\.ts)/,
  /electron\/engine\/sharing\/(?!share-(?:gate|room)\.ts)/,
  /electron\/adapters\/browser\/browser-sessions/,
  /node_modules\/(?:commander|unbash)\//,
];
const PACKAGES_LATER =
  /node_modules\/(?:@ai-sdk|@nats-io|@modelcontextprotocol|@agentclientprotocol|croner|conf|diff|pg(?:-[a-z]+)?|prom-client|yaml)\//;

/** build/chunks.ts: with 70 files V8 loaded its optimizer for a helper of Node that each of them calls. */
const MAX_FILES = 12;

interface Coverage {
  readonly result: readonly { readonly url: string }[];
}

it('W4 DW-29 loads for an idle start no verbs, texts, protocols or packages that it has no use for', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'hf-load-'));
  try {
    const seen = join(dir, 'seen');
    const child = spawn(
      process.execPath,
      [entry, 'start', '--headless', '--data-dir', join(dir, 'data')],
      { env: { ...process.env, NODE_V8_COVERAGE: seen }, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.kill('SIGTERM');
    await ended;
    const files = readdirSync(seen).flatMap((name) =>
      (JSON.parse(readFileSync(join(seen, name), 'utf8')) as Coverage).result
        .filter(({ url }) => url.startsWith('file:'))
        .map(({ url }) => fileURLToPath(url)),
    );
    const sources = files.flatMap((file) =>
      existsSync(`${file}.map`)
        ? (JSON.parse(readFileSync(`${file}.map`, 'utf8')) as { sources: string[] }).sources
        : [file],
    );
    expect(sources.some((source) => source.endsWith('electron/compose/compose.ts'))).toBe(true);
    expect(sources.filter((one) => LATER.some((late) => late.test(one)))).toEqual([]);
    expect(files.filter((file) => PACKAGES_LATER.test(file))).toEqual([]);
    const built = files.filter((file) => /dist.node/.test(file));
    expect(built.length, built.join(' ')).toBeLessThanOrEqual(MAX_FILES);
    expect(
      files.filter((file) => /better-sqlite3/.test(file)).map((file) => basename(file)),
    ).toEqual(['binding.js']);
    // One other character makes V8 hold all of a file with two bytes for each: 1.5 MB of a start.
    expect(built.filter((file) => /[^\0-\x7f]/.test(readFileSync(file, 'utf8')))).toEqual([]);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
