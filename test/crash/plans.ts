/**
 * What the fake model does for a message, as a pure function of the message: the host plays it,
 * the test knows from it which effects there must be. A message is `<plan> <tag>`.
 */
interface PlannedCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

interface Plan {
  /** Tool calls of each model answer, in order; after the last one comes the text. */
  readonly answers: readonly (readonly PlannedCall[])[];
  readonly text: string;
  /** What the model says besides its first calls. */
  readonly firstText?: string;
}

export const BIG_CHARS = 40 * 1024;

/** Effects of the fake host; `look` and `add` leave a line too, but may happen again. */
export const EFFECT_TOOLS: readonly string[] = ['send_email', 'charge', 'put', 'mystery', 'ask_me'];

const PLANS: Readonly<Record<string, (tag: string) => readonly (readonly PlannedCall[])[]>> = {
  mail: (tag) => [
    [{ tool: 'look', args: { tag } }],
    [{ tool: 'send_email', args: { to: tag } }],
    [{ tool: 'charge', args: { tag, n: 1 } }],
  ],
  files: (tag) => [
    [{ tool: 'write_file', args: { path: `${tag}-a.txt`, content: contentOf(tag, 'a') } }],
    [{ tool: 'read_file', args: { path: `${tag}-a.txt` } }],
    [{ tool: 'write_file', args: { path: `${tag}-b.txt`, content: contentOf(tag, 'b') } }],
  ],
  draft: (tag) => [
    [{ tool: 'write_file', args: { path: `${tag}-a.txt`, content: contentOf(tag, 'a') } }],
    [{ tool: 'read_file', args: { path: `${tag}-a.txt` } }],
    [{ tool: 'write_file', args: { path: `${tag}-b.txt`, content: contentOf(tag, 'b') } }],
  ],
  big: (tag) => [[{ tool: 'charge', args: { tag, big: true } }], [{ tool: 'put', args: { tag } }]],
  stopme: (tag) => [
    [{ tool: 'charge', args: { tag } }],
    [{ tool: 'stop_me', args: { tag } }],
    [{ tool: 'charge', args: { tag, never: true } }],
  ],
  queued: (tag) => [[{ tool: 'look', args: { tag } }], [{ tool: 'charge', args: { tag } }]],
  mystery: (tag) => [
    [
      { tool: 'mystery', args: { tag } },
      { tool: 'add', args: { a: 1, b: 2 } },
    ],
  ],
  multi: (tag) => [
    [
      { tool: 'put', args: { tag, key: 'a' } },
      { tool: 'put', args: { tag, key: 'b' } },
      { tool: 'look', args: { tag } },
    ],
    [{ tool: 'charge', args: { tag, n: 1 } }],
    [{ tool: 'charge', args: { tag, n: 2 } }],
  ],
  refused: (tag) => [[{ tool: 'charge', args: { tag } }]],
  one: (tag) => [[{ tool: 'charge', args: { tag } }]],
  mail1: (tag) => [[{ tool: 'send_email', args: { to: tag } }]],
  lookmail: (tag) => [
    [{ tool: 'look', args: { tag } }],
    [{ tool: 'send_email', args: { to: tag } }],
  ],
  /** One effect, then one that waits for a person's leave, then one more. */
  asked: (tag) => [
    [{ tool: 'charge', args: { tag } }],
    [{ tool: 'ask_me', args: { tag } }],
    [{ tool: 'put', args: { tag } }],
  ],
  /** A tool of an MCP server; its tag is how long it works. */
  served: (tag) => [[{ tool: 'odd__work', args: { ms: Number(tag) } }]],
  /** Presses "Buy" on a page, and takes a picture of one; the tag is the site. */
  browse: (tag) => [
    [{ tool: 'browser_navigate', args: { url: `http://${tag}/` } }],
    [{ tool: 'browser_click', args: { site: tag, target: 'Buy' } }],
  ],
  picture: (tag) => [
    [{ tool: 'browser_navigate', args: { url: `http://${tag}/` } }],
    [{ tool: 'browser_screenshot', args: {} }],
  ],
  /** An effect, a skill whose phases each wait for leave, and one more effect. */
  allof: (tag) => [
    [{ tool: 'charge', args: { tag } }],
    [{ tool: 'run_skill', args: { name: 'three', input: `asked ${tag}` } }],
    [{ tool: 'put', args: { tag } }],
  ],
  flaky: (tag) => [[{ tool: 'charge', args: { tag } }]],
  timer: (tag) => [[{ tool: 'timer', args: { seconds: 1, message: `one ${tag}`, id: 'x' } }]],
  beat: (tag) => [
    [{ tool: 'heartbeat', args: { action: 'start', interval_seconds: 10, message: `one ${tag}` } }],
  ],
  schedule: (tag) => [
    [{ tool: 'schedule_task', args: { prompt: `one ${tag}`, schedule: 'every 1h' } }],
  ],
  /** Asks to be woken again at once. */
  later: (tag) => [[{ tool: 'revisit_later', args: { note: `one ${tag}`, in: '30ms' } }]],
  /** Runs another skill, which has one effect in each of its phases. */
  nest: (tag) => [[{ tool: 'run_skill', args: { name: 'three', input: `one ${tag}` } }]],
  talk: () => [],
  /** An answer of two messages of a bot. */
  long: () => [],
  look2: (tag) => [
    [{ tool: 'look', args: { tag } }],
    [{ tool: 'charge', args: { tag } }],
    [{ tool: 'put', args: { tag } }],
  ],
  poison: (tag) => [[{ tool: 'charge', args: { tag } }], [{ tool: 'kill_host', args: { tag } }]],
  ticking: (tag) => [[{ tool: 'tick', args: { tag } }], [{ tool: 'kill_host', args: { tag } }]],
  verbose: (tag) => [[{ tool: 'charge', args: { tag } }], [{ tool: 'put', args: { tag } }]],
  extra: (tag) => [[{ tool: 'extra', args: { tag } }], [{ tool: 'charge', args: { tag } }]],
};

export function contentOf(tag: string, part: string): string {
  return `${tag} ${part}\n`.repeat(50);
}

/** What a task says above its prompt, and a wake before its note. */
const HEAD = /^(?:\[scheduled task [^\]]*\]\n\n|You asked to be woken now: )/;

export function planOf(text: string): Plan {
  const message = text.replace(HEAD, '');
  const space = message.indexOf(' ');
  const name = space < 0 ? message : message.slice(0, space);
  const tag = space < 0 ? '' : message.slice(space + 1, space + 41);
  const make = Object.hasOwn(PLANS, name) ? PLANS[name] : undefined;
  return {
    answers: make?.(tag) ?? [],
    text: name === 'long' ? 'word '.repeat(1_000) : `done: ${message.slice(0, 60)}`,
    ...(name === 'verbose' ? { firstText: 'thinking '.repeat(BIG_CHARS / 8) } : {}),
  };
}
