import { z } from 'zod';
import { parsedOutside } from '../../../engine/kernel/json-depth';
import { tokenIn } from '../../../../shared/questions/token-in';
import type { ChannelDeps } from '../channel-deps';
import { down, failureWord, notTaken } from '../channel-errors';
import { bearer, type NtfyPlace } from './publish';

export interface Reply {
  readonly token: string;
  /** Which buttons of the question to show. */
  readonly page: number;
}

const line = z.object({
  id: z.string().max(100),
  time: z.number().int().nonnegative(),
  event: z.string(),
  message: z.string().optional(),
});

/** The server sends a keepalive every 45 s. */
const SILENCE_MS = 150_000;
const MAX_LINE = 32_768;
/** Messages that are remembered, so that one second is not taken twice. */
const MAX_SEEN = 1_000;
/** How far back the first look goes: no answer counts for longer by default. */
const FIRST_LOOK = '24h';

/** The answer in a message on the reply topic; undefined if it is not one of ours. Pure. */
export function replyOf(text: string): Reply | undefined {
  const token = tokenIn(text);
  if (token === undefined) return undefined;
  const page = / ([1-9])\s*$/.exec(text)?.[1];
  return { token, page: page === undefined ? 1 : Number(page) };
}

/**
 * Reads the reply topic until the connection ends. The time of a message is on disk once it is
 * handled: after a kill it comes again. @throws CHANNEL_DOWN
 */
export async function readReplies(
  place: NtfyPlace & {
    readonly topic: string;
    readonly offset: ChannelDeps<'ntfy'>['offset'];
  },
  {
    signal,
    onUp,
    take,
  }: {
    readonly signal: AbortSignal;
    readonly onUp: () => void;
    /** `later`: not now, so it is read again. `not_ours`: nothing of it is stored. */
    readonly take: (reply: Reply) => Promise<'taken' | 'not_ours' | 'later'>;
  },
): Promise<void> {
  const { name, server, topic, offset } = place;
  const since = offset.read();
  const quiet = new AbortController();
  const watch = createWatch(quiet);
  const seen = new Set<string>();
  const failed = (error: unknown): never => {
    throw notTaken(`${name}: an answer`, error);
  };
  try {
    const response = await fetch(
      `${server}/${topic}/json?since=${since === undefined ? FIRST_LOOK : String(since)}`,
      {
        redirect: 'manual',
        headers: await bearer(place),
        signal: AbortSignal.any([signal, quiet.signal]),
      },
    );
    if (response.status !== 200) {
      await response.body?.cancel();
      throw down(`${name}: ntfy responded with ${String(response.status)}.`);
    }
    for await (const text of linesOf(response, watch)) {
      onUp();
      const one = line.safeParse(parsedOutside(text)).data;
      if (one?.event !== 'message' || seen.has(one.id)) continue;
      const reply = replyOf(one.message ?? '');
      const end = reply === undefined ? 'not_ours' : await take(reply).catch(failed);
      if (end === 'later') throw notTaken(`${name}: an answer`);
      if (seen.size >= MAX_SEEN) seen.clear();
      seen.add(one.id);
      // Flooding the topic must not cause disk writes.
      if (end === 'taken' && one.time > (offset.read() ?? 0)) await offset.write(one.time);
    }
  } catch (thrown) {
    if (signal.aborted) return;
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'CHANNEL_DOWN') throw thrown;
    throw down(
      `${name}: ${quiet.signal.aborted ? 'the connection went silent' : failureWord(thrown)}.`,
    );
  } finally {
    watch.stop();
  }
}

/** Ends a connection that receives nothing, not even keepalives. */
function createWatch(quiet: AbortController): { alive(): void; stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => clearTimeout(timer);
  const alive = (): void => {
    stop();
    timer = setTimeout(() => quiet.abort(), SILENCE_MS);
    timer.unref();
  };
  alive();
  return { alive, stop };
}

async function* linesOf(response: Response, watch: { alive(): void }): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of response.body ?? []) {
    watch.alive();
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    // A line without an end is not read.
    if (rest.length > MAX_LINE) throw new Error('a line is too long');
    for (const text of lines) {
      // Timers and windows are served, however fast the other side writes.
      await new Promise(setImmediate);
      if (text.length <= MAX_LINE) yield text;
    }
  }
}
