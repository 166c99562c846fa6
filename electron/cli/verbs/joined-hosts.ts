/**
 * `holdfast hosts inbox|sessions|search`: what waits, runs or was said on this computer and on every host,
 * each entry with the name of its host. A host that cannot be reached, or whose version this one does not
 * understand, is named with the reason: nothing is shown as empty that was not seen. HO-02
 */
import type { Command } from 'commander';
import { z } from 'zod';
import { HoldfastError } from '../../engine/kernel/errors';
import type { Program, Run } from '../command';
import { asks, optional, wholeNumber } from '../command';
import { askFar } from '../far-host';
import type { Reach } from '../reach';
import { inertLine } from '../render';
import { addressOf, hostAddresses } from './hosts';

const LOOK_MS = 20_000;
/** No host can be called so: names have no spaces. */
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
  /** The command there, with its answer as JSON. */
  readonly args: readonly string[];
  readonly here: () => Promise<readonly T[]>;
  /** Of an answer from whichever version: what this one needs of it, and no more. */
  readonly answer: z.ZodType<readonly T[]>;
}

const text = z.string().max(2_000);
const atMs = z.number();

const inboxAnswer = z
  .object({
    items: z.array(
      z.object({
        id: z.number(),
        kind: text,
        title: text,
        createdAtMs: atMs,
        turnId: z.number().optional(),
      }),
    ),
  })
  .transform(({ items }) => items);
const sessionsAnswer = z
  .object({
    sessions: z.array(
      z.object({
        id: z.number(),
        key: text,
        title: text,
        agent: text,
        status: text,
        lastEventAtMs: atMs,
      }),
    ),
  })
  .transform(({ sessions }) => sessions);
const searchAnswer = z
  .object({
    hits: z.array(
      z.object({
        part: text,
        atMs,
        turnId: z.number().optional(),
        step: z.number().optional(),
        session: text,
        excerpt: text,
      }),
    ),
  })
  .transform(({ hits }) => hits);
const farError = z.object({ error: z.object({ message: text }) });

/** What went wrong there, in a sentence. */
function problemOf(host: string, answer: unknown): string {
  const told = farError.safeParse(answer);
  if (told.success) return told.data.error.message;
  return `${host} has a Holdfast of another version, which this one does not understand.`;
}

async function askHost<T>(
  run: Run,
  host: string,
  address: string,
  { args, answer }: Question<T>,
): Promise<{ readonly seen: HostSeen; readonly entries: readonly T[] }> {
  try {
    const where = addressOf({ [host]: address }, host);
    const told = await askFar(run.io, host, where, args, LOOK_MS);
    const read = answer.safeParse(told);
    if (read.success) return { seen: { host, isReachable: true }, entries: read.data };
    return { seen: { host, isReachable: true, problem: problemOf(host, told) }, entries: [] };
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    return { seen: { host, isReachable: false, problem: error.message }, entries: [] };
  }
}

async function askAll<T extends object>(
  engine: Reach,
  run: Run,
  question: Question<T>,
): Promise<Joined<T>> {
  const known = Object.entries(await hostAddresses(engine));
  const [here, ...far] = await Promise.all([
    question.here(),
    ...known.map(([host, address]) => askHost(run, host, address, question)),
  ]);
  return {
    entries: [
      ...here.map((one) => ({ ...one, host: HERE })),
      ...far.flatMap(({ seen, entries }) => entries.map((one) => ({ ...one, host: seen.host }))),
    ],
    hosts: [{ host: HERE, isReachable: true }, ...far.map(({ seen }) => seen)],
  };
}

/** The table, and below it each host of which something is missing. */
function joinedText(table: string, empty: string, hosts: readonly HostSeen[], run: Run): string {
  const missing = hosts
    .filter(({ problem }) => problem !== undefined)
    .map(({ host, isReachable, problem = '' }) => {
      const what = isReachable ? 'not understood' : 'unreachable';
      return `${run.paint('bad', `${inertLine(host)}: ${what}.`)} ${inertLine(problem)}`;
    });
  return [table === '' ? empty : table, ...missing].join('\n');
}

const newestFirst = <T>(entries: readonly T[], atOf: (one: T) => number): readonly T[] =>
  entries.toSorted((a, b) => atOf(b) - atOf(a));

/** Added to `holdfast hosts`. */
export function addJoined(root: Command, program: Program): void {
  const hosts = root.commands.find((one) => one.name() === 'hosts');
  if (hosts === undefined) return;
  asks(
    program,
    hosts.command('inbox').description('List what needs your decision, here and on every host'),
    'read',
    async (engine, run) => {
      const { entries, hosts: seen } = await askAll(engine, run, {
        args: ['inbox', 'list', '--json'],
        here: async () => inboxAnswer.parse(await engine.call('inbox.list', {})),
        answer: inboxAnswer,
      });
      const items = entries.toSorted((a, b) => a.createdAtMs - b.createdAtMs);
      const table = run.table(
        ['HOST', 'ITEM', 'KIND', 'TURN', 'SINCE', 'WHAT'],
        items.map((one) => [
          inertLine(one.host),
          String(one.id),
          inertLine(one.kind),
          one.turnId === undefined ? '-' : String(one.turnId),
          run.when(one.createdAtMs),
          inertLine(one.title),
        ]),
      );
      const shown = joinedText(table, 'Nothing needs your decision.', seen, run);
      return { value: { items, hosts: seen }, text: shown };
    },
  );
  asks(
    program,
    hosts.command('sessions').description('List sessions here and on every host, newest first'),
    'read',
    async (engine, run) => {
      const { entries, hosts: seen } = await askAll(engine, run, {
        args: ['sessions', 'list', '--json'],
        here: async () => sessionsAnswer.parse(await engine.call('sessions.list', {})),
        answer: sessionsAnswer,
      });
      const sessions = newestFirst(entries, (one) => one.lastEventAtMs);
      const table = run.table(
        ['HOST', 'SESSION', 'NAME', 'AGENT', 'STATE', 'LAST', 'TITLE'],
        sessions.map((one) => [
          inertLine(one.host),
          String(one.id),
          inertLine(one.key),
          inertLine(one.agent),
          inertLine(one.status),
          run.when(one.lastEventAtMs),
          inertLine(one.title),
        ]),
      );
      return {
        value: { sessions, hosts: seen },
        text: joinedText(table, 'No sessions.', seen, run),
      };
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
      .argument('<words...>', 'Words that must all occur; quote words that stand side by side')
      .option('--limit <n>', 'Maximum number of results of each host (default 20)', wholeNumber),
    'read',
    async (engine, run, ...given) => {
      const words = (given as unknown as readonly string[]).flat().join(' ');
      const limit = optional<number>(run, 'limit') ?? 20;
      const { entries, hosts: seen } = await askAll(engine, run, {
        args: ['search', '--json', '--limit', String(limit), '--', words],
        here: async () => searchAnswer.parse(await engine.call('search.find', { words, limit })),
        answer: searchAnswer,
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
      return {
        value: { hits, hosts: seen },
        text: joinedText(table, 'Nothing was found.', seen, run),
      };
    },
  );
}
