import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { openGateway } from '../../../electron/adapters/gateway/gateway-server';
import { createBreakerRegistry } from '../../../electron/engine/breaker/registry';
import { callWithRetries } from '../../../electron/engine/retry/retrying-call';
import { NO_TRIES } from '../../../electron/engine/retry/plan-retry';
import { createRequestQueue } from '../../../electron/engine/gateway/request-queue';
import type { Breakers } from '../../../electron/ports/breakers';
import type { CallOutcome } from '../../../electron/ports/call-outcomes';
import type {
  GatewayBegin,
  GatewayFallbackMove,
  GatewayUse,
} from '../../../electron/ports/gateway';
import type { ProviderSettings } from '../../../shared/settings';
import { gatewayFallbacksOf } from '../../../shared/settings/fallbacks';
import { startFakeProvider, type FakeProvider } from '../../helpers/fake-provider';

export const KEY = 'sk-canary-4f1d9a77c0ffee0123456789abcdef';

/** The gateway over a scripted provider, with short waits. */
export interface GatewayWorld {
  readonly provider: FakeProvider;
  /** Another one, behind `spare` and `spare-claude`. */
  readonly spare: FakeProvider;
  readonly port: number;
  readonly token: string;
  readonly tokenPath: string;
  readonly breakers: Breakers;
  readonly outcomes: readonly CallOutcome[];
  readonly begins: readonly GatewayBegin[];
  readonly uses: readonly GatewayUse[];
  /** Answers that were asked for and not taken. */
  readonly refused: readonly GatewayUse[];
  readonly logged: readonly string[];
  /** Clients with a token of their own. */
  readonly clients: { name: string; tokenHash: string }[];
  /** As after a token was revoked. */
  revoked(client: string): Promise<void>;
  readonly rules: {
    maxWaitMs: number;
    budgetUsd: number;
    memoMs: number;
    turns: number[];
    isDown: boolean;
    /** The time that the provider has named. */
    untilMs: number | undefined;
    slots: number;
    isForOutage: boolean;
    isForTime: boolean;
    /** By provider, as in the settings. */
    fallbacks: Readonly<Record<string, readonly string[]>>;
    /** Whether they may answer now. */
    move: (others: readonly string[]) => GatewayFallbackMove;
    /** Another address of the provider `open`. */
    openUrl: string | undefined;
  };
  /** Tells held requests to look again. */
  changed(): void;
  waiting(): number;
  /** The gateway alone, as where Holdfast stops. */
  stopGateway(): Promise<void>;
  /** As an agent is given it. */
  baseUrl(name: string): string;
  stop(): Promise<void>;
}

/** A provider that is at work says something within this, however busy the machine is. */
const SILENT_MS = 3_000;

export async function startGatewayWorld(
  timeouts = { firstByteMs: SILENT_MS, wholeMs: SILENT_MS, idleMs: SILENT_MS },
): Promise<GatewayWorld> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-gateway-'));
  const provider = await startFakeProvider({ script: () => ({ text: 'hello' }) });
  const spare = await startFakeProvider({ script: () => ({ text: 'hello' }) });
  const rules: GatewayWorld['rules'] = {
    maxWaitMs: 60_000,
    budgetUsd: 0,
    memoMs: 600_000,
    turns: [],
    isDown: false,
    untilMs: undefined,
    slots: Infinity,
    isForOutage: true,
    isForTime: true,
    fallbacks: {},
    move: () => ({ kind: 'go', to: 0 }),
    openUrl: undefined,
  };
  const outcomes: CallOutcome[] = [];
  const begins: GatewayBegin[] = [];
  const uses: GatewayUse[] = [];
  const refused: GatewayUse[] = [];
  const clients: { name: string; tokenHash: string }[] = [];
  const logged: string[] = [];
  const listeners = new Set<() => void>();
  const follow = (listener: () => void): (() => void) => {
    const own = (): void => listener();
    listeners.add(own);
    return () => listeners.delete(own);
  };
  const clock = {
    nowMs: () => Date.now(),
    monotonicMs: () => performance.now(),
    sleep: (delayMs: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        const timer = setTimeout(resolve, delayMs);
        const end = (): void => {
          clearTimeout(timer);
          reject(signal?.reason as Error);
        };
        if (signal?.aborted === true) end();
        signal?.addEventListener('abort', end, { once: true });
      }),
  };
  const breakers = createBreakerRegistry({
    clock,
    policy: () => ({
      failureThreshold: 2,
      successThreshold: 1,
      initialBackoffMs: 50,
      maxBackoffMs: 50,
    }),
    timeWords: String,
    waiting: () => '',
    saved: () => [],
    onDamaged: () => undefined,
    keep: () => undefined,
    drop: () => undefined,
  });
  const policy = { maxAttempts: 2, firstWaitMs: 5, maxWaitMs: 1_000 };
  const queue = createRequestQueue({
    clock,
    calls: {
      retrying: (name, job) =>
        callWithRetries(
          {
            clock,
            onMoved: breakers.onMoved,
            policy: () => ({ rateLimited: policy, server: policy }),
            random: () => 0.5,
          },
          {
            ...job,
            quietMs: () => 0,
            breaker: breakers.of(`provider.${name}`, 'provider'),
            tries: NO_TRIES,
            firstWaitMs: 0,
          },
        ),
      outcomes: { report: (outcome) => outcomes.push(outcome) },
    },
    provider: {
      stateOf: (name) => ({
        isDown: !name.startsWith('spare') && (rules.isDown || rules.untilMs !== undefined),
        untilMs: rules.untilMs,
        slots: rules.slots,
        reason: `${name} is down.`,
      }),
      setRetryAt: (_name, { untilMs }) => {
        if (rules.isForTime) rules.untilMs = untilMs;
      },
      noteRetryAfter: () => undefined,
      onMoved: (_name, listener) => follow(listener),
      onChanged: (listener) => follow(listener),
    },
    waits: {
      areAllowed: () => ({ isForOutage: rules.isForOutage, isForTime: rules.isForTime }),
      maxMs: () => rules.maxWaitMs,
      random: () => 0.5,
    },
    fallback: (_name, others) => Promise.resolve(rules.move(others)),
    budget: {
      capsSpent: () => undefined,
      budgetUsd: () => rules.budgetUsd,
      spentTodayUsd: () => uses.reduce((sum, use) => sum + (use.costUsd ?? 0), 0),
    },
    usage: {
      begin: (use) => {
        begins.push(use);
        return Promise.resolve({ day: '2026-03-24', use });
      },
      count: (use) => {
        (use.isRefused === true ? refused : uses).push(use);
        return Promise.resolve();
      },
    },
  });
  const spec = (kind: 'openai-compatible' | 'anthropic'): ProviderSettings => ({
    kind,
    base_url: provider.baseUrl(kind),
    price_input_per_million_usd: 100_000,
    price_output_per_million_usd: 0,
  });
  const log = (event: string, facts?: unknown): void => {
    logged.push(JSON.stringify({ event, facts }));
  };
  const tokenPath = path.join(dir, 'gateway.token');
  const server = await openGateway({
    port: 0,
    tokenPath,
    clients: () => clients,
    cacheDir: path.join(dir, 'answers'),
    crashPoints: { hit: () => undefined },
    cacheWindowMs: () => rules.memoMs,
    clock,
    queue,
    log: { debug: log, info: log, warn: log, error: log },
    providers: () => ({
      open: {
        ...spec('openai-compatible'),
        ...(rules.openUrl === undefined ? {} : { base_url: rules.openUrl }),
      },
      claude: spec('anthropic'),
      other: { kind: 'google' },
      spare: { ...spec('openai-compatible'), base_url: spare.baseUrl('openai-compatible') },
      'spare-claude': { ...spec('anthropic'), base_url: spare.baseUrl('anthropic') },
    }),
    fallbacksOf: (name) => gatewayFallbacksOf(rules.fallbacks, name),
    keyOf: () => Promise.resolve({ key: KEY }),
    userAgent: 'holdfast/test',
    turnsOf: () => rules.turns,
    commentMs: 20,
    timeouts,
  });
  return {
    provider,
    spare,
    port: server.port,
    tokenPath,
    token: fs.readFileSync(tokenPath, 'utf8').trim(),
    breakers,
    outcomes,
    begins,
    uses,
    refused,
    logged,
    clients,
    revoked: (client) => server.revoked(client),
    rules,
    changed: () => {
      for (const listener of listeners) listener();
    },
    waiting: () => queue.waiting(),
    stopGateway: () => server.stop(),
    baseUrl: (name) => `http://127.0.0.1:${String(server.port)}/p/${name}/v1`,
    stop: async () => {
      await server.stop();
      await provider.stop();
      await spare.stop();
      fs.rmSync(dir, { recursive: true, force: true });
    },
  };
}
