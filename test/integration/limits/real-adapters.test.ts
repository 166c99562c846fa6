/**
 * LM-01: the real adapter processes of agents, driven to their usage limit by a double of their
 * provider. HOLDFAST_TEST_REAL_AGENTS=1 installs them once into a cache outside of the repository;
 * without it this is skipped. opencode is not among them: at a limit it waits by itself and tells
 * its client nothing.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAcpAgents } from '../../../electron/adapters/acp';
import { limitEnd } from '../../../shared/limits/read-limit';

const isWanted = process.env['HOLDFAST_TEST_REAL_AGENTS'] === '1';
const caches = path.join(os.homedir(), '.cache', 'holdfast-agents');

/** The folder with the programs of one version, which is installed there once. */
function installed(spec: string): string {
  const cache = path.join(caches, spec.replaceAll(/[^a-z0-9.-]+/g, '-').replace(/^-/, ''));
  const bin = path.join(cache, 'node_modules', '.bin');
  if (!fs.existsSync(bin)) {
    fs.mkdirSync(cache, { recursive: true });
    fs.writeFileSync(path.join(cache, 'package.json'), '{"private":true}');
    execFileSync('npm', ['install', '--no-audit', '--no-fund', spec], { cwd: cache });
  }
  return bin;
}

/** The next full minute in two hours: agents name it in minutes. */
const resetsAtMs = Math.ceil(Date.now() / 60_000) * 60_000 + 7_200_000;
const epoch = resetsAtMs / 1_000;

interface Limited {
  /** The newest that this was tried with, and an older one: a version of a package, and its program. */
  readonly versions: readonly (readonly [spec: string, program: string])[];
  readonly args: readonly string[];
  readonly env: (base: string) => Readonly<Record<string, string>>;
  readonly files: (base: string) => Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
  /** Whether it names the time. */
  readonly hasTime: boolean;
}

const AGENTS: Readonly<Record<string, Limited>> = {
  'Claude Code': {
    versions: [
      ['@agentclientprotocol/claude-agent-acp@0.101.0', 'claude-agent-acp'],
      // Under its earlier name.
      ['@zed-industries/claude-code-acp@0.16.2', 'claude-code-acp'],
    ],
    args: [],
    env: (base) => ({
      ANTHROPIC_BASE_URL: base,
      CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-of-a-test',
      DISABLE_AUTOUPDATER: '1',
    }),
    files: () => ({}),
    headers: {
      'x-should-retry': 'false',
      'anthropic-ratelimit-unified-status': 'rejected',
      'anthropic-ratelimit-unified-reset': String(epoch),
      'anthropic-ratelimit-unified-representative-claim': 'five_hour',
    },
    body: { type: 'error', error: { type: 'rate_limit_error', message: 'would exceed it' } },
    hasTime: true,
  },
  Codex: {
    versions: [
      ['@zed-industries/codex-acp@0.16.0', 'codex-acp'],
      ['@zed-industries/codex-acp@0.12.0', 'codex-acp'],
    ],
    args: [],
    env: () => ({ DOUBLE_KEY: 'k', OPENAI_API_KEY: 'k' }),
    files: (base) => ({
      '.codex/config.toml': [
        'model = "double-1"',
        'model_provider = "double"',
        '[model_providers.double]',
        'name = "double"',
        `base_url = "${base}/v1"`,
        'env_key = "DOUBLE_KEY"',
        'wire_api = "responses"',
        'request_max_retries = 0',
      ].join('\n'),
    }),
    headers: {},
    body: {
      error: {
        type: 'usage_limit_reached',
        message: 'The usage limit has been reached',
        plan_type: 'plus',
        resets_at: epoch,
      },
    },
    hasTime: true,
  },
  'Gemini CLI': {
    versions: [
      ['@google/gemini-cli@0.61.0', 'gemini'],
      ['@google/gemini-cli@0.45.2', 'gemini'],
    ],
    args: ['--acp'],
    env: (base) => ({
      GEMINI_API_KEY: 'k',
      GOOGLE_GEMINI_BASE_URL: base,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    }),
    files: () => ({
      '.gemini/settings.json': JSON.stringify({
        security: { auth: { selectedType: 'gemini-api-key' } },
        general: { disableAutoUpdate: true },
      }),
    }),
    headers: {},
    body: {
      error: {
        code: 429,
        status: 'RESOURCE_EXHAUSTED',
        message: 'You exceeded your current quota.',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
            violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier' }],
          },
        ],
      },
    },
    hasTime: false,
  },
};

let root: string;
let server: http.Server;
let limited: Limited;
let base: string;

beforeEach(async () => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-limits-'));
  server = http.createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      const isAsked = request.method === 'POST';
      response.writeHead(isAsked ? 429 : 404, {
        'content-type': 'application/json',
        ...(isAsked ? limited.headers : {}),
      });
      response.end(JSON.stringify(isAsked ? limited.body : { error: { message: 'no' } }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  fs.rmSync(root, { recursive: true, force: true, maxRetries: 5 });
});

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

describe.skipIf(!isWanted)('LM-01 the real adapter of', () => {
  it.each(
    Object.entries(AGENTS).flatMap(([name, one]) =>
      one.versions.map(([spec, program]) => ({ name, spec, program, one })),
    ),
  )(
    '$name ($spec) at its limit tells a limit, and the time if it names one: nothing is refused',
    async ({ spec, program, one }) => {
      limited = one;
      const workspace = path.join(root, 'workspace');
      fs.mkdirSync(workspace);
      for (const [file, text] of Object.entries(one.files(base))) {
        fs.mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
        fs.writeFileSync(path.join(root, file), text);
      }
      const env = one.env(base);
      const agents = createAcpAgents({
        instanceId: 'test-instance',
        runId: 'run-1',
        version: '0.0.0',
        loginEnvironment: () => Promise.resolve({ kind: 'own', reason: 'test' }),
        ownEnvironment: { PATH: process.env['PATH'], HOME: root, TZ: 'UTC', ...env },
        recordsDir: path.join(root, 'records'),
        orphanWaitMs: () => 5_000,
        log: quiet,
      });
      const started = await agents.start({
        agent: 'own',
        command: path.join(installed(spec), program),
        args: [...one.args],
        workspace,
        env: ['TZ', ...Object.keys(env)],
        turnId: 7,
        signal: new AbortController().signal,
      });
      if (started.kind === 'failure') throw new Error(started.failure.message);
      try {
        const session = await started.value.newSession();
        if (session.kind === 'failure') throw new Error(session.failure.message);
        const end = await started.value.prompt(session.value, 'say hello', {
          onEvent: () => undefined,
          onPermission: () => Promise.resolve({ kind: 'cancelled' }),
        });
        if (end.kind === 'ok') throw new Error(JSON.stringify(end.value));
        const { limit, kind } = end.failure;
        expect([kind, limit === undefined]).toEqual(['provider', false]);
        const found = limitEnd(limit?.resets, { nowMs: Date.now(), zone: 'UTC' });
        expect(found?.atMs).toBe(one.hasTime ? resetsAtMs : undefined);
      } finally {
        await started.value.stop();
      }
    },
    // The first run installs it.
    600_000,
  );
});
