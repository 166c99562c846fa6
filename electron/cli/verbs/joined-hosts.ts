/**
 * `holdfast hosts inbox|sessions|search`: what waits, runs or was said on this computer and on every host,
 * each entry with the name of its host. A host that cannot be reached, or whose version this one does not
 * understand, is named with the reason: nothing is shown as empty that was not seen. HO-02
 */
import type { Command } from 'commander';
import { z } from 'zod';
import type { Program, Reply, Run } from '../command';
import { asks, groupOf, optional, wholeNumber } from '../command';
import { EXIT } from '../exit-codes';
import { askAt, problemOf, readEntries } from '../far-host';
import type { ProgramEnvironment } from '../io';
import type { Reach } from '../reach';
import { inertLine } from '../render';
import { hostAddresses, sshEnvironment } from './hosts';
import { inboxWord, sessionWord } from './turn-text';

/** Not a possible host name, because those have no spaces. */
const HERE = 'this computer';

interface HostSeen {
  readonly host: string;
  readonly isReachable: boolean;
  readonly problem?: string;
}

interface Joined<T> {
  readonly entries: readonly (T & { readonly host: string })[];
  readonly hosts: readonly HostSeen[];
}

interface Question<T> {
  /** The command on the host that returns its answer as JSON. */
  readonly args: readonly string[];
  readonly here: () => Promise<readonly unknown[]>;
  /**
   * The name of the list in the answer of any version, and the fields that this version needs of an
   * entry.
   */
  readonly list: string;
  readonly entry: z.ZodType<T>;
}

/** Longer texts are cut, because the other computer may allow longer ones than this one. */
const text = z.string().transform((whole) => whole.slice(0, 2_000));
const atMs = z.number();

const inboxItem = z.object({
  id: z.number(),
  kind: text,
  title: text,
  createdAtMs: atMs,
  turnId: z.number().optional(),
});
const session = z.object({
  id: z.number(),
  key: text,
  title: text,
  agent: text,
  status: text,
  lastEventAtMs: atMs,
});
const hit = z.object({
  part: text,
  atMs,
  turnId: z.number().optional(),
  step: z.number().optional(),
  session: text,
  excerpt: text,
});

async function askHost<T>(
  env: ProgramEnvironment,
  host: string,
  address: string,
  { args, list, entry }: Question<T>,
): Promise<{ readonly seen: HostSeen; readonly entries: readonly T[] }> {
  const told = await askAt(env, host, address, args);
  if (told.kind !== 'answer') {
    const { problem } = told;
    return { seen: { host, isReachable: told.kind === 'strange', problem }, entries: [] };
  }
  const read = readEntries(host, told.value, { list, entry });
  if (read === undefined) {
    const problem = problemOf(host, told.value);
    return { seen: { host, isReachable: true, problem }, entries: [] };
  }
  const { entries, problem } = read;
  return {
    seen: { host, isReachable: true, ...(problem === undefined ? {} : { problem }) },
    entries,
  };
}

async function askAll<T extends object>(
  engine: Reach,
  run: Run,
  question: Question<T>,
): Promise<Joined<T>> {
  const known = Object.entries(await hostAddresses(engine));
  const env = await sshEnvironment(run);
  const [here, ...far] = await Promise.all([
    question.here(),
    ...known.map(([host, address]) => askHost(env, host, address, question)),
  ]);
  return {
    entries: [
      ...here.map((one) => ({ ...question.entry.parse(one), host: HERE })),
      ...far.flatMap(({ seen, entries }) => entries.map((one) => ({ ...one, host: seen.host }))),
    ],
    hosts: [{ host: HERE, isReachable: true }, ...far.map(({ seen }) => seen)],
  };
}

/**
 * The table, and below it each host with missing entries: the table is then incomplete, and a
 * program sees that in the exit code.
 */
function joined(
  value: Readonly<Record<string, unknown>> & { readonly hosts: readonly HostSeen[] },
  table: string,
  empty: string,
  run: Run,
): Reply {
  const missing = value.hosts.filter(({ problem }) => problem !== undefined);
  const seen = missing.length === 0 ? `${empty}.` : `${empty} on the computers that responded.`;
  const lines = [
    table === '' ? seen : table,
    ...missing.map(({ host, isReachable, problem = '' }) => {
      const what = isReachable ? 'incomplete' : 'unreachable';
      return `${run.paint('bad', `${inertLine(host)}: ${what}.`)} ${inertLine(problem)}`;
    }),
  ];
  const exitCode = missing.some(({ isReachable }) => !isReachable)
    ? EXIT.notRunning
    : missing.length > 0
      ? EXIT.failed
      : EXIT.ok;
  return { value, text: lines.join('\n'), exitCode };
}

const newestFirst = <T>(entries: readonly T[], atOf: (one: T) => number): readonly T[] =>
  entries.toSorted((a, b) => atOf(b) - atOf(a));

/** Added to `holdfast hosts`. */
export function addJoined(root: Command, program: Program): void {
  const hosts = groupOf(root, 'hosts');
  asks(
    program,
    hosts.command('inbox').description('List what needs your decision, here and on every host'),
    'read',
    async (engine, run) => {
      const { entries, hosts: seen } = await askAll(engine, run, {
        args: ['inbox', 'list', '--json'],
        here: async () => (await engine.call('inbox.list', {})).items,
        list: 'items',
        entry: inboxItem,
      });
      const items = entries.toSorted((a, b) => a.createdAtMs - b.createdAtMs);
      const table = run.table(
        ['HOST', 'ITEM', 'KIND', 'TURN', 'SINCE', 'WHAT'],
        items.map((one) => [
          inertLine(one.host),
          String(one.id),
          inboxWord(one.kind),
          one.turnId === undefined ? '-' : String(one.turnId),
          run.when(one.createdAtMs),
          inertLine(one.title),
        ]),
      );
      return joined({ items, hosts: seen }, table, 'Nothing needs your decision', run);
    },
  );
  asks(
    program,
    hosts.command('sessions').description('List sessions here and on every host, newest first'),
    'read',
    async (engine, run) => {
      const { entries, hosts: seen } = await askAll(engine, run, {
        args: ['sessions', 'list', '--json'],
        here: async () => (await engine.call('sessions.list', {})).sessions,
        list: 'sessions',
        entry: session,
      });
      const sessions = newestFirst(entries, (one) => one.lastEventAtMs);
      const table = run.table(
        ['HOST', 'SESSION', 'NAME', 'AGENT', 'STATE', 'LAST', 'TITLE'],
        sessions.map((one) => [
          inertLine(one.host),
          String(one.id),
          inertLine(one.key),
          inertLine(one.agent),
          sessionWord(one.status),
          run.when(one.lastEventAtMs),
          inertLine(one.title),
        ]),
      );
      return joined({ sessions, hosts: seen }, table, 'No sessions', run);
    },
  );
  addJoinedSearch(hosts, program);
}

function addJoinedSearch(hosts: Command, program: Program): void {
  asks(
    program,
    hosts
      .command('search')
      .description('Find words here and on every host, newest first')
      .argument('<words...>', 'Words that must all occur; quote phrases')
      .option('--limit <n>', 'Maximum number of results of each host (default 20)', wholeNumber),
    'read',
    async (engine, run, ...given) => {
      const words = (given as unknown as readonly string[]).flat().join(' ').trim();
      const limit = optional<number>(run, 'limit') ?? 20;
      const { entries, hosts: seen } = await askAll(engine, run, {
        args: ['search', '--json', '--limit', String(limit), '--', words],
        here: async () => (await engine.call('search.find', { words, limit })).hits,
        list: 'hits',
        entry: hit,
      });
      const hits = newestFirst(entries, (one) => one.atMs);
      const table = run.table(
        ['HOST', 'WHEN', 'TURN', 'STEP', 'SESSION', 'PART', 'TEXT'],
        hits.map((one) => [
          inertLine(one.host),
          run.paint('quiet', run.when(one.atMs)),
          one.turnId === undefined ? '-' : String(one.turnId),
          one.step === undefined ? '-' : String(one.step),
          inertLine(one.session),
          inertLine(one.part),
          inertLine(one.excerpt),
        ]),
      );
      return joined({ hits, hosts: seen }, table, 'No matches', run);
    },
  );
}
