import pg from 'pg';
import type {
  AppendAnswer,
  ClaimAnswer,
  ClaimRefusal,
  HelloAnswer,
  KnownTurn,
  LookAnswer,
  MachineRow,
  MachineSelf,
  SharedStore,
  WaitingRow,
} from '../../ports/shared-store';
import { SHARED_JOURNAL_VERSION } from '../../ports/shared-store';
import { CLIENT_VERSION } from './open-schema';
import { isMissing, storeError } from './store-errors';

/** Address of the store, and this computer's role. */
export interface StoreAddress {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly role: string;
  readonly password: string;
  /** The certificate that must have signed the server's; absent: the system's trusted ones. */
  readonly ca?: string;
  /** The store is on this computer: without TLS. */
  readonly isLoopback: boolean;
}

interface PostgresStoreDeps {
  readonly address: StoreAddress;
  /** Timeout for an answer: a half-open connection never gives one. */
  readonly timeoutMs: number;
  /** The highest write number ever seen here. */
  readonly seen: number;
  readonly log: { warn(event: string, facts: Readonly<Record<string, unknown>>): void };
}

/** Connections for claims, steps and questions; leases have a separate one. */
const WORK_CONNECTIONS = 4;
/** A refusal is shorter: a longer one was not written by Holdfast, and cut it is not read. */
const MAX_REFUSAL_CHARS = 8_000;
const REFUSALS = `SELECT machine, body FROM (
  SELECT DISTINCT ON (machine) n, machine, left(body, ${String(MAX_REFUSAL_CHARS)}) AS body
    FROM holdfast.entries($1, 0) ORDER BY machine, n DESC
) last WHERE body LIKE '{"k":"refused"%' ORDER BY n`;
/** Maximum ended turns removed per call. */
const PRUNED_AT_ONCE = 200;
/** Number of polls after which a store of an earlier version is checked for facts again. */
const LOOKS_BEFORE_FACTS = 10;
/** Delay before the news connection is opened again. */
const NEWS_RETRY_MS = 5_000;

const configOf = ({ address, timeoutMs }: PostgresStoreDeps): pg.ClientConfig => ({
  host: address.host,
  port: address.port,
  database: address.database,
  user: address.role,
  password: address.password,
  ...(address.isLoopback ? {} : { ssl: { ca: address.ca, rejectUnauthorized: true } }),
  connectionTimeoutMillis: timeoutMs,
  query_timeout: timeoutMs,
  keepAlive: true,
  application_name: 'holdfast',
});

interface LookRow extends Partial<Pick<LookAnswer, 'facts' | 'factsUpTo' | 'questions'>> {
  readonly refused: ClaimRefusal | '';
  readonly hasWork: boolean;
  readonly nextLeaseMs: number | null;
  readonly turns: readonly (Omit<KnownTurn, 'isOurs'> & { readonly owner: string | null })[];
}

/** Calls one function, which returns one JSON value. */
type Call = <T>(name: string, args: readonly unknown[]) => Promise<T>;

function callsOver(pool: pg.Pool): Call {
  return async <T>(name: string, args: readonly unknown[]) => {
    const places = args.map((_arg, index) => `$${String(index + 1)}`).join(', ');
    try {
      // A named statement is parsed once per connection.
      const { rows } = await pool.query<{ value: T }>({
        name: `hf_${name}`,
        text: `SELECT holdfast.${name}(${places}) AS value`,
        values: [...args],
      });
      return rows[0]?.value as T;
    } catch (error) {
      throw storeError(error);
    }
  };
}

function falseIfMissing(error: unknown): false {
  if (isMissing(error)) return false;
  throw error;
}

/** Listens for news of work, and reconnects when the connection is lost. */
function createNews(deps: PostgresStoreDeps) {
  const listeners = new Set<() => void>();
  let client: pg.Client | undefined;
  let retry: NodeJS.Timeout | undefined;
  let isClosed = false;
  const tell = (): void => {
    for (const listener of listeners) listener();
  };
  const connect = async (): Promise<void> => {
    const { query_timeout: _none, ...config } = configOf(deps);
    const own = new pg.Client(config);
    client = own;
    const again = (): void => {
      if (isClosed || client !== own) return;
      client = undefined;
      retry = setTimeout(() => void connect(), NEWS_RETRY_MS);
      retry.unref();
    };
    own.on('error', again);
    own.on('end', again);
    own.on('notification', tell);
    try {
      await own.connect();
      await own.query('LISTEN holdfast');
      // There may be work that was announced while this was not listening.
      tell();
    } catch {
      await own.end().catch(() => undefined); // It was not open.
      again();
    }
  };
  return {
    onNews(listener: () => void): void {
      listeners.add(listener);
      if (client === undefined && !isClosed) void connect();
    },
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(retry);
      await client?.end().catch(() => undefined); // It may already be disconnected.
    },
  };
}

/** The shared queue on PostgreSQL. Nothing connects before the first call. */
export function createPostgresStore(deps: PostgresStoreDeps): SharedStore {
  const config = configOf(deps);
  const work = new pg.Pool({ ...config, max: WORK_CONNECTIONS, idleTimeoutMillis: 60_000 });
  const lease = new pg.Pool({ ...config, max: 1, idleTimeoutMillis: 0 });
  for (const pool of [work, lease])
    pool.on('error', (error) => {
      deps.log.warn('share.connection.lost', { error: error.message });
    });
  const call = callsOver(work);
  const callLease = callsOver(lease);
  const news = createNews(deps);
  let life: string | undefined;
  let incarnation: string | undefined;
  /** The store's ID of this computer. */
  let machine: string | undefined;
  let seen = deps.seen;
  let hasFacts = true;
  let plainLooks = 0;
  const see = <T>(answer: T & { readonly mark?: number }): T => {
    seen = Math.max(seen, answer.mark ?? 0);
    return answer;
  };
  const rowsOf = async <T extends pg.QueryResultRow>(
    text: string,
    args: unknown[],
  ): Promise<T[]> => {
    try {
      return (await work.query<T>(text, args)).rows;
    } catch (error) {
      throw storeError(error);
    }
  };

  return {
    async hello(self: MachineSelf) {
      const answer = see(
        await callLease<HelloAnswer>('hello', [
          self.key,
          self.name,
          self.life,
          self.version,
          CLIENT_VERSION,
          SHARED_JOURNAL_VERSION,
          self.caps,
          self.clockMs,
        ]),
      );
      life = self.life;
      hasFacts = true;
      incarnation ??= answer.incarnation;
      ({ machine } = answer);
      return answer;
    },
    send: async (turn) =>
      see(
        await call<{ id: string; isNew: boolean }>('send', [
          turn.id,
          turn.session,
          turn.priority,
          turn.dedupe ?? null,
          turn.needs,
          turn.isHere,
          turn.body,
        ]),
      ),
    claim: async ({ request, leaseMs, maxWaitMs }) =>
      see(await call<ClaimAnswer>('claim', [life, request, incarnation, seen, leaseMs, maxWaitMs])),
    renew: (held, leaseMs) =>
      callLease('renew', [life, held.map(({ id }) => id), held.map(({ epoch }) => epoch), leaseMs]),
    append: async (batch) =>
      see(
        await call<AppendAnswer>('append', [
          life,
          batch.turn,
          batch.epoch,
          batch.from,
          batch.bodies,
          batch.leaseMs,
          batch.after,
          batch.delayMs,
          batch.isProgress,
        ]),
      ),
    entries: (turn, from) => rowsOf('SELECT * FROM holdfast.entries($1, $2)', [turn, from]),
    refusals: (turn) => rowsOf(REFUSALS, [turn]),
    earlier: (turn, limit) => rowsOf('SELECT * FROM holdfast.earlier($1, $2)', [turn, limit]),
    async look(turns, factsFrom = 0) {
      const asked = [life, incarnation, seen, turns];
      if (!hasFacts) plainLooks = (plainLooks + 1) % LOOKS_BEFORE_FACTS;
      hasFacts ||= plainLooks === 0;
      const answer = see(
        await (
          hasFacts
            ? call<LookRow>('look_facts', [...asked, factsFrom])
            : call<LookRow>('look', asked)
        ).catch((error: unknown) => {
          if (!hasFacts || !isMissing(error)) throw error;
          // The owner has not yet upgraded the store to this version.
          hasFacts = false;
          return call<LookRow>('look', asked);
        }),
      );
      return {
        facts: [],
        factsUpTo: factsFrom,
        questions: [],
        ...answer,
        refused: answer.refused === '' ? undefined : answer.refused,
        turns: answer.turns.map(({ owner, ...turn }) => ({ ...turn, isOurs: owner === machine })),
        nextLeaseMs: answer.nextLeaseMs ?? undefined,
      };
    },
    async putFacts(facts, isAll) {
      if (hasFacts) await call('put_facts', [JSON.stringify(facts), isAll]);
      return hasFacts;
    },
    ask: ({ turn, epoch, id, body }) =>
      call<boolean>('ask', [life, turn, epoch, id, body]).catch(falseIfMissing),
    answer: ({ turn, epoch, id, answer, by }) => call('answer', [turn, epoch, id, answer, by]),
    async putText(hash, body) {
      await call('put_text', [hash, body]);
    },
    getText: async (hash) => (await call<string | null>('get_text', [hash])) ?? undefined,
    async drain() {
      await callLease('drain', [life]);
    },
    cancel: (turn, body) => call<boolean>('cancel', [turn, body]),
    pass: ({ turn, epoch, forMs }) =>
      call<boolean>('pass', [life, turn, epoch, forMs]).catch(falseIfMissing),
    release: (turn) => call<boolean>('release', [turn]),
    prune: async (keepMs) =>
      (await call<number>('prune', [keepMs, PRUNED_AT_ONCE])) < PRUNED_AT_ONCE,
    machines: async () =>
      (await call<(MachineRow & { contactAgoMs: number | null })[]>('machines', [])).map((row) => ({
        ...row,
        contactAgoMs: row.contactAgoMs ?? undefined,
      })),
    waiting: (limit) => call<WaitingRow[]>('waiting', [limit]),
    mark: () => seen,
    onNews(listener) {
      news.onNews(listener);
    },
    async close() {
      await Promise.all([work.end(), lease.end(), news.close()]);
    },
  };
}
