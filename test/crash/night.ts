/**
 * Ten hours without anybody, on a clock that only moves when it is told to: the world of the night, and
 * the hand that moves the clock, kills the process and starts it again.
 */
import fs from 'node:fs';
import path from 'node:path';
import { createRandom } from '../helpers/random';
import { BOT_TOKEN, startTelegram, type FakeTelegram } from '../helpers/fake-outside';
import { rowsOf } from './evidence';
import { createRealm, startLife } from './lives';
import type { CrashPointName } from '../../electron/engine/kernel/crash-points';
import type { Life, Realm } from './realm';
import { ACP_AGENT } from '../helpers/acp-agent-program';
import { wholeLines } from '../helpers/whole-lines';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const KILLS = 20;

/** Local time of the night from the 24th to the 25th. */
export const at = (hour: number, minute = 0): number =>
  new Date(2026, 2, hour < 12 ? 25 : 24, hour, minute).getTime();

/** One kill: at a time, or at the durable write that comes so much later. */
interface Kill {
  readonly atMs: number;
  readonly arm?: { readonly point: CrashPointName; readonly later: number };
}

/** Where a process can be killed beside any commit: with what is outside done, and not on record. */
const POINTS: readonly CrashPointName[] = [
  'journal.commit.before',
  'journal.commit.inside',
  'journal.commit.after',
  'provider.answer.after',
  'step.effect.before',
  'step.effect.after',
];

/** No kill in the minutes around the digest: one of unknown end counts as sent, and none is the promise. */
const LAST_KILL_MS = at(6, 50);

/** A minute before something happens in the story. */
const BUSY: readonly number[] = [
  [22, 4],
  [22, 29],
  [22, 49],
  [22, 50],
  [22, 52],
  [23, 49],
  [0, 0],
  [0, 19],
  [0, 58],
  [1, 0],
  [1, 1],
  [1, 49],
  [2, 49],
  [4, 49],
  [5, 49],
].map(([hour = 0, minute = 0]) => at(hour, minute));

export function planKills(seed: number): readonly Kill[] {
  const random = createRandom(seed);
  const fromMs = at(21, 58);
  const minutes = (LAST_KILL_MS - fromMs) / MINUTE;
  return Array.from({ length: KILLS }, () => {
    if (random(4) === 0) return { atMs: fromMs + random(minutes) * MINUTE };
    const point = POINTS[random(POINTS.length)] ?? 'journal.commit.after';
    return { atMs: BUSY[random(BUSY.length)] ?? fromMs, arm: { point, later: random(6) } };
  }).toSorted((one, other) => one.atMs - other.atMs);
}

export interface Night {
  readonly realm: Realm;
  readonly telegram: FakeTelegram;
  readonly seed: number;
  /** When it was killed, for the message of a failure. */
  readonly story: string[];
  kills(): number;
  nowMs(): number;
  /** Does something in the life of now; after a kill in the middle, again in the next one. */
  does<T>(work: (life: Life) => Promise<T>): Promise<T>;
  /** Time passes until then, with the kills that are due. */
  goTo(untilMs: number): Promise<void>;
  /** Time passes in minutes until it is so. */
  until(what: string, isSo: (life: Life) => Promise<boolean>): Promise<void>;
  /** The lid is shut. */
  sleep(forMs: number): Promise<void>;
  /** Answers that are on record, and were asked again behind a kill. */
  paidAgain(): readonly string[];
  stop(): Promise<void>;
  end(): Promise<void>;
}

const EVENING: Readonly<Record<string, unknown>> = {
  'observability.enabled': false,
  'channels.port': 0,
  'channels.default': 'phone',
  'notifications.quiet_hours': '22:00-07:00',
  'notifications.urgent': ['fake.ask_me'],
  'digest.at': '07:00',
  // A process that is killed from outside is no fault of its turns.
  'resilience.recovery.max_attempts': 30,
  'resilience.recovery.side_effect_tools': [],
  'resilience.outage_threshold': 1,
  'work.requeue_delay': '10ms',
  'work.requeue_max_delay': '20ms',
  'retry.server.max_attempts': 1,
  'budgets.caps': {
    daily: { scope: 'agent', of: 'saver', per: 'day', usd: 0.03 },
    monthly: { scope: 'agent', of: 'payer', per: 'month', usd: 0.02 },
  },
};

function nightRealm(telegram: FakeTelegram): Realm {
  const realm = createRealm('safe_only');
  const file = path.join(realm.dataDir, 'config.json');
  const { agents, ...rest } = JSON.parse(fs.readFileSync(file, 'utf8')) as {
    agents: Record<string, unknown>;
    resilience: { recovery: object };
  };
  const nested: Record<string, unknown> = {
    ...rest,
    channels: {
      own: {
        phone: {
          kind: 'telegram',
          token_file: '~/bot.token',
          chats: ['7'],
          base_url: telegram.baseUrl,
          agent: 'fake',
          questions: true,
          decide: { people: ['7', '8'] },
        },
      },
    },
    agents: {
      ...agents,
      ...Object.fromEntries(
        ['saver', 'payer'].map((name) => [
          name,
          { provider: 'fake', model: 'fake-1', workspace: realm.workspace },
        ]),
      ),
      ...Object.fromEntries(
        ['one', 'two'].map((name) => [
          name,
          {
            executor: 'acp',
            command: process.execPath,
            args: [ACP_AGENT, 'plain'],
            workspace: realm.workspace,
            account: 'mine',
          },
        ]),
      ),
    },
  };
  for (const [key, value] of Object.entries(EVENING)) {
    const names = key.split('.');
    let into = nested;
    for (const name of names.slice(0, -1)) into = (into[name] ??= {}) as Record<string, unknown>;
    into[names.at(-1) ?? ''] = value;
  }
  (nested['approvals'] as Record<string, unknown>)['tools'] = {
    ask_me: 'ask',
    'one.*': 'allow',
    'two.*': 'allow',
  };
  fs.writeFileSync(file, JSON.stringify(nested), { mode: 0o600 });
  fs.writeFileSync(path.join(realm.outside, 'bot.token'), BOT_TOKEN, { mode: 0o600 });
  return realm;
}

const requestLines = (realm: Realm): readonly string[] => {
  const file = path.join(realm.outside, 'bodies.log');
  return wholeLines(file);
};

/** Exact requests whose answers are on record. */
const answered = (realm: Realm): ReadonlySet<string> =>
  new Set(
    rowsOf<{ memo_key: string }>(
      realm,
      `SELECT memo_key FROM turn_steps WHERE state = 'completed'`,
    ).map((row) => row.memo_key),
  );

export async function beginNight(seed: number): Promise<Night> {
  const telegram = await startTelegram();
  const realm = nightRealm(telegram);
  const left = [...planKills(seed)];
  const story: string[] = [];
  const paidAgain: string[] = [];
  let wallMs = at(21, 50);
  let kills = 0;
  let isArmed = false;
  let life = begin();

  function begin(): Life {
    return startLife(realm, {
      clockMs: wallMs,
      hasStatusCheck: true,
      onLine: (line) => {
        if (typeof line['nowMs'] === 'number') wallMs = line['nowMs'];
      },
    });
  }

  /** What stands on record at a kill is never asked again. */
  let known: ReadonlySet<string> = new Set();
  let seen = 0;
  function judgeRequests(): void {
    const lines = requestLines(realm);
    for (const line of lines.slice(seen)) {
      const { hash } = JSON.parse(line) as { hash: string };
      if (known.has(hash)) paidAgain.push(line);
    }
    seen = lines.length;
    known = answered(realm);
  }

  async function again(): Promise<void> {
    await life.ended;
    judgeRequests();
    kills += 1;
    isArmed = false;
    story.push(`${new Date(wallMs).toTimeString().slice(0, 5)} ${realm.killedAt.at(-1) ?? ''}`);
    wallMs += MINUTE;
    life = begin();
    await life.ready();
  }

  const isDead = (): Promise<boolean> =>
    Promise.race([
      life.ended.then(() => true),
      new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 3_000)),
    ]);

  const does: Night['does'] = async (work) => {
    for (;;) {
      try {
        return await work(life);
      } catch (error) {
        if (!(await isDead())) throw error;
        await again();
      }
    }
  };

  const pass = (untilMs: number): Promise<void> =>
    does(async (present) => {
      if (wallMs >= untilMs) return;
      await moved(present.ask({ kind: 'advance', byMs: untilMs - wallMs }));
    });

  async function killNow(): Promise<void> {
    realm.killedAt.push('any moment');
    await life.kill();
    await again();
  }

  /** One kill is due: the one before has not come by its write until now. */
  async function kill(due: Kill): Promise<void> {
    if (isArmed) await killNow();
    const { arm } = due;
    if (arm === undefined) return killNow();
    isArmed = true;
    await does((present) => moved(present.ask({ kind: 'arm', ...arm })));
  }

  await life.ready();
  const night: Night = {
    realm,
    telegram,
    seed,
    story,
    kills: () => kills,
    nowMs: () => wallMs,
    does,
    paidAgain: () => paidAgain,
    async goTo(untilMs) {
      while (wallMs < untilMs) {
        const next = left[0];
        const stopMs = Math.min(
          untilMs,
          next?.atMs ?? untilMs,
          isArmed ? Math.max(LAST_KILL_MS, wallMs) : untilMs,
        );
        await pass(stopMs);
        if (next !== undefined && wallMs >= next.atMs) {
          left.shift();
          await kill(next);
        } else if (isArmed && wallMs >= LAST_KILL_MS) await killNow();
      }
    },
    async until(what, isSo) {
      for (let minute = 0; minute < 120; minute += 1) {
        if (await does(isSo)) return;
        await night.goTo(wallMs + MINUTE);
      }
      throw new Error(`${what}: not so after 2 h, at ${new Date(wallMs).toTimeString()}`);
    },
    async sleep(forMs) {
      await does((present) => moved(present.ask({ kind: 'suspend', forMs })));
    },
    stop: () => life.stop(),
    async end() {
      await life.kill();
      await telegram.down();
      realm.remove();
    },
  };
  return night;
}

/** The answer of a life that was killed before it gave one is none. */
async function moved(answer: Promise<unknown>): Promise<void> {
  if ((await answer) === undefined) throw new Error('killed on the way');
}
