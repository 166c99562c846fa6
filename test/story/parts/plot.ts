/**
 * The story of the mocks as data: a Tuesday, 24 March, looked at from 14:31. Only what the product
 * can do today: no outages, schedules, approvals or drafts. Times are offsets from the instant of
 * the unexpected stop, so that the same day can end at any moment.
 */

/** One answer of the model, and the calls that it makes. */
export interface PlotAnswer {
  readonly tookMs: number;
  readonly text?: string;
  readonly calls?: readonly PlotCall[];
  /** The answer is never finished: the turn stands running. */
  readonly isEndless?: boolean;
}

interface PlotCall {
  readonly tool: string;
  readonly args: unknown;
  readonly tookMs?: number;
  readonly result?: string;
  /** The tool went away without an answer. */
  readonly isUnknown?: boolean;
}

export interface PlotTurn {
  readonly session: string;
  readonly agent: AgentName;
  /** Milliseconds from the stop; negative is before it. */
  readonly atMs: number;
  readonly prompt: string;
  readonly answers: readonly PlotAnswer[];
  /** The provider refuses it for good, in these words. */
  readonly refusal?: { readonly message: string; readonly hint: string };
  /** A person answers the question that it leaves, so much later. */
  readonly confirmedAfterMs?: number;
}

export const AGENT_NAMES = ['Researcher', 'Mail-helper', 'Repo-mender', 'Digest'] as const;
type AgentName = (typeof AGENT_NAMES)[number];

export const SIDE_EFFECT_TOOLS = ['send_email', 'archive_mail', 'post_message'] as const;

/** The unexpected stop, and the start after it 4 min 13 s later. */
const STOP = '14:02:11';
export const DOWN_MS = 253_000;

/** `14:00:02` or `yesterday 19:40:00` as an offset from the stop. */
export function at(time: string): number {
  const [, day, hours, minutes, seconds] =
    /^(yesterday )?(\d\d):(\d\d):(\d\d)$/.exec(time) ?? fail(time);
  const ofDayMs =
    ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 -
    (day === undefined ? 0 : 86_400_000);
  return time === STOP ? ofDayMs : ofDayMs - STOP_OF_DAY_MS;
}
const STOP_OF_DAY_MS = at(STOP);

function fail(time: string): never {
  throw new Error(`Not a time of the story: ${time}`);
}

const BEGIN_MS = at('yesterday 14:12:00');
const NIGHT_MS = at('yesterday 23:51:40');
const MORNING_MS = at('07:12:05');
/** The moment that the mocks show. */
export const NOW_MS = at('14:31:00');

/** Files of the folder that the agents work in. */
export const FILES: Readonly<Record<string, string>> = {
  'offers/northcable.md': '# Northcable\n\nCat 6A, 500 m: EUR 412. Delivery 9 days.\n',
  'offers/berg.md': '# Berg & Co\n\nCat 6A, 500 m: EUR 398. Delivery 14 days, no drum deposit.\n',
  'offers/lumen.md': '# Lumen\n\nCat 6A, 500 m: USD 441. Delivery 6 days.\n',
  'reading/inbox.md': '- On durable execution\n- The log as a database\n- Crash-only software\n',
  'reading/notes.md': '# Notes so far\n\nCrash-only software: recovery is the start path.\n',
  'notes/yesterday.md': 'Mara: upload test. Jon: cable offers. Ines: release notes.\n',
  'notes/standup-template.md': '## Yesterday\n## Today\n## In the way\n',
  'uploader/CHANGELOG.md': '# Changelog\n\n## 2.3.0\n\n- Resumable uploads\n',
  'uploader/commits.txt': 'Wait for the upload to finish\nRetry a refused chunk\n',
  'prices/cable.csv': 'supplier,eur\nnorthcable,412\nberg,398\n',
};

const read = (path: string): PlotCall => ({ tool: 'read_file', args: { path } });
const write = (path: string, content: string): PlotCall => ({
  tool: 'write_file',
  args: { path, content },
});
const rates: PlotCall = { tool: 'web_fetch', args: { url: 'https://192.0.2.10/rates/eur-usd' } };

/** Turns that are running when Holdfast is stopped, and what became of each. */
const CUT_OFF: readonly PlotTurn[] = [
  {
    session: 'Supplier comparison',
    agent: 'Researcher',
    atMs: at('14:00:02'),
    prompt: 'Compare the three cable suppliers and mail the result',
    answers: [
      { tookMs: 8_400, calls: [read('offers/northcable.md'), read('offers/berg.md')] },
      { tookMs: 6_100, calls: [read('offers/lumen.md')] },
      { tookMs: 20_800, text: 'I compare price, delivery and deposit.', calls: [rates] },
      {
        tookMs: 36_600,
        calls: [write('comparison.md', '# Cable suppliers\n\n1. Berg & Co\n2. Northcable\n')],
      },
      {
        tookMs: 30_400,
        text: 'Two offers leave a question open. I write to both suppliers.',
        calls: [
          {
            tool: 'send_email',
            args: {
              to: 'anna.berg@berg-co.example',
              subject: 'Your offer of 2 March: delivery',
              body: 'Dear Ms Berg, can you deliver within 9 days?',
            },
            tookMs: 1_900,
            result: 'Accepted by mail.example, message 4f21',
          },
        ],
      },
      {
        tookMs: 20_900,
        calls: [
          {
            tool: 'send_email',
            args: {
              to: 't.okafor@northcable.example',
              subject: 'Your offer of 3 March: two questions',
              body: 'Dear Mr Okafor,\n\nis the drum deposit included, and does the price hold until Friday?\n',
            },
            tookMs: 60_000,
          },
        ],
      },
      { tookMs: 5_000, text: 'The comparison is in comparison.md. Berg & Co is cheapest.' },
    ],
  },
  {
    session: 'Inbox triage',
    agent: 'Mail-helper',
    atMs: at('14:01:16'),
    prompt: 'Sort the new mail of today and archive what needs no answer',
    answers: [
      {
        tookMs: 6_200,
        calls: [
          {
            tool: 'search_mail',
            args: { folder: 'Inbox', since: '2026-03-24' },
            tookMs: 2_300,
            result: '11 messages',
          },
        ],
      },
      {
        tookMs: 41_500,
        text: 'Six of the eleven need no answer.',
        calls: [
          {
            tool: 'archive_mail',
            args: { folder: 'Archive/2026', messages: [8812, 8815, 8816, 8820, 8821, 8826] },
            tookMs: 60_000,
          },
        ],
      },
      { tookMs: 4_000, text: 'Five messages are left for you.' },
    ],
  },
  {
    session: 'Reading list',
    agent: 'Researcher',
    atMs: at('13:58:40'),
    prompt: 'Read the three papers on my list and add what is new to my notes',
    answers: [
      { tookMs: 5_900, calls: [read('reading/inbox.md'), read('reading/notes.md')] },
      { tookMs: 47_800, text: 'I begin with durable execution.', calls: [rates] },
      {
        tookMs: 52_300,
        calls: [write('reading/notes.md', '# Notes so far\n\n## On durable execution\n')],
      },
      { tookMs: 44_000, calls: [write('reading/durable.md', 'An effect is logged first.\n')] },
      { tookMs: 58_000, calls: [read('reading/durable.md')] },
      { tookMs: 39_000, calls: [write('reading/log.md', 'The log is the database.\n')] },
      {
        tookMs: 61_000,
        text: 'The second paper calls the log the database: every table is a view of it. The third one',
        isEndless: true,
      },
    ],
  },
  {
    session: 'Price watch',
    agent: 'Digest',
    atMs: at('14:01:31'),
    prompt: 'Has a cable price changed since this morning?',
    answers: [
      { tookMs: 4_200, calls: [read('prices/cable.csv')] },
      { tookMs: 60_000, text: 'No. Berg & Co is still at EUR 398.' },
    ],
  },
  {
    session: 'Calendar sync',
    agent: 'Digest',
    // The last thing before the stop: what is on disk then says when it was.
    atMs: 0,
    prompt: 'Put the dates of the new mails into the calendar',
    answers: [
      { tookMs: 9_000, calls: [read('notes/yesterday.md')] },
      { tookMs: 11_000, text: 'Two dates were new: the review on Thursday, the call on Friday.' },
    ],
  },
];

/** Questions and ends that a person meets in the lists. */
const EARLIER: readonly PlotTurn[] = [
  {
    session: 'Photo index',
    agent: 'Researcher',
    atMs: at('yesterday 19:40:12'),
    prompt: 'Index the photos of the trade fair',
    answers: [{ tookMs: 3_000, calls: [read('notes/yesterday.md')] }, { tookMs: 2_000 }],
    refusal: {
      message: 'Office proxy refused the request: this model takes no pictures (400).',
      hint: 'Choose another model for Researcher, then go on.',
    },
  },
  {
    session: 'Morning digest',
    agent: 'Digest',
    atMs: at('08:58:00'),
    prompt: 'Post the morning digest to the team channel',
    answers: [
      { tookMs: 6_000, calls: [read('notes/yesterday.md')] },
      {
        tookMs: 14_000,
        calls: [
          {
            tool: 'post_message',
            args: { channel: 'team', text: 'Three things for today' },
            tookMs: 4_000,
            isUnknown: true,
          },
        ],
      },
      { tookMs: 3_000, text: 'The digest is in the team channel.' },
    ],
    confirmedAfterMs: 240_000,
  },
];

/** Work of an ordinary day. */
const ROUTINES: readonly (Pick<PlotTurn, 'session' | 'agent' | 'prompt'> & {
  readonly calls: readonly PlotCall[];
  readonly end: string;
})[] = [
  {
    session: 'Standup notes',
    agent: 'Researcher',
    prompt: 'Write the standup notes from what happened yesterday',
    calls: [
      read('notes/yesterday.md'),
      read('notes/standup-template.md'),
      write('notes/standup.md', '## Yesterday\n\n- Mara: upload test\n'),
    ],
    end: 'The notes are in notes/standup.md.',
  },
  {
    session: 'Price watch',
    agent: 'Digest',
    prompt: 'Has a cable price changed?',
    calls: [read('prices/cable.csv')],
    end: 'Nothing changed.',
  },
  {
    session: 'Changelog draft',
    agent: 'Repo-mender',
    prompt: 'Add the new commits to the changelog draft',
    calls: [
      read('uploader/commits.txt'),
      read('uploader/CHANGELOG.md'),
      write('uploader/CHANGELOG.draft.md', '## 2.4.0\n\n- Uploads wait for the server\n'),
      read('uploader/CHANGELOG.draft.md'),
    ],
    end: 'Two entries are new.',
  },
  {
    session: 'Inbox triage',
    agent: 'Mail-helper',
    prompt: 'Sort the new mail',
    calls: [
      { tool: 'search_mail', args: { folder: 'Inbox' }, tookMs: 1_800, result: '9 messages' },
      write('notes/mail.md', 'Nine messages, two need an answer.\n'),
    ],
    end: '9 messages sorted.',
  },
  {
    session: 'Fix flaky upload test',
    agent: 'Repo-mender',
    prompt: 'Run the upload test again and say what you see',
    calls: [
      { tool: 'list_files', args: { path: 'uploader' } },
      read('uploader/commits.txt'),
      { tool: 'search_files', args: { pattern: 'upload', path: 'uploader' } },
    ],
    end: 'Twenty runs, none failed.',
  },
  {
    session: 'Reading list',
    agent: 'Researcher',
    prompt: 'Put the two new links on my reading list',
    calls: [read('reading/inbox.md'), write('reading/queue.md', '- Crash-only software\n')],
    end: 'Both are on the list.',
  },
];

/** The same numbers every time. */
function createDice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * sides);
  };
}

function routinesBetween(fromMs: number, toMs: number, seed: number): PlotTurn[] {
  const roll = createDice(seed);
  const turns: PlotTurn[] = [];
  let place = roll(ROUTINES.length);
  for (let atMs = fromMs + 120_000; atMs < toMs - 150_000;) {
    place += 1 + roll(2);
    const routine = ROUTINES[place % ROUTINES.length];
    if (routine === undefined) throw new Error('The story has no routines.');
    turns.push({
      session: routine.session,
      agent: routine.agent,
      atMs,
      prompt: routine.prompt,
      answers: [
        ...routine.calls.map((call) => ({ tookMs: 2_000 + roll(9_000), calls: [call] })),
        { tookMs: 1_500 + roll(5_000), text: routine.end },
      ],
    });
    atMs += 170_000 + roll(7) * 60_000;
  }
  return turns;
}

/** What happens in the open window after the start: the rest of the day until 14:31. */
export const AFTERNOON: readonly PlotTurn[] = [
  ...routinesBetween(at('14:08:30'), at('14:28:00'), 23),
  {
    session: 'Standup notes',
    agent: 'Researcher',
    atMs: at('14:29:12'),
    prompt: 'Add the cable offers to the standup notes',
    answers: [
      { tookMs: 4_000, calls: [read('notes/standup-template.md')] },
      { tookMs: 9_000, calls: [write('notes/standup.md', '## Today\n\n- Cable offers\n')] },
      { tookMs: 6_000, text: 'The notes are ready for the team channel.' },
    ],
  },
  {
    session: 'Changelog draft',
    agent: 'Repo-mender',
    atMs: at('14:29:48'),
    prompt: 'Read the last 14 commits and finish the changelog draft',
    answers: [
      { tookMs: 6_000, calls: [read('uploader/commits.txt')] },
      { tookMs: 9_000, calls: [read('uploader/CHANGELOG.md')] },
      { tookMs: 8_000, text: 'The draft has two of them already. I am reading', isEndless: true },
    ],
  },
];

export type StoryVariant = 'busy' | 'calm' | 'hostile';

/** One life of the process: what is sent while it runs, and how it ends. */
export interface PlotLife {
  readonly fromMs: number;
  readonly turns: readonly PlotTurn[];
  readonly untilMs: number;
  readonly end: 'os_shutdown' | 'update' | 'killed';
}

const evening: PlotLife = {
  fromMs: BEGIN_MS,
  turns: routinesBetween(BEGIN_MS, NIGHT_MS, 7),
  untilMs: NIGHT_MS,
  end: 'os_shutdown',
};

export function livesOf(variant: StoryVariant): readonly PlotLife[] {
  switch (variant) {
    case 'busy':
      return [
        { ...evening, turns: inOrder([...evening.turns, ...EARLIER.slice(0, 1)]) },
        {
          fromMs: MORNING_MS,
          turns: inOrder([
            ...routinesBetween(MORNING_MS, at('13:58:00'), 11),
            ...EARLIER.slice(1),
            ...CUT_OFF,
          ]),
          untilMs: 0,
          end: 'killed',
        },
      ];
    case 'calm':
      return [
        evening,
        {
          fromMs: MORNING_MS,
          turns: routinesBetween(MORNING_MS, at('13:20:00'), 11),
          untilMs: at('13:20:00'),
          end: 'update',
        },
      ];
    case 'hostile':
      return [{ fromMs: at('13:40:00'), turns: HOSTILE, untilMs: 0, end: 'killed' }];
  }
}

const inOrder = (turns: readonly PlotTurn[]): PlotTurn[] =>
  turns.toSorted((a, b) => a.atMs - b.atMs);

/** A name that reads from right to left, markup, terminal colours, and a link. */
const HOSTILE_MARKS = {
  bidi: 'invoice\u202egnp.exe',
  html: '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>',
  markdown: `[bank](https://evil.example) ![dot](https://evil.example/dot.png) [js](javascript:alert(1))\n\n<script>document.title="owned"</script>\n\n| a |\n| - |\n| ${'wide'.repeat(200)} |\n\n\`\`\`js\n${'x'.repeat(3_000)}\n\`\`\`\n${'*_'.repeat(5_000)}`,
  ansi: '\u001b[31mred\u001b[0m \u001b]8;;https://evil.example\u0007click\u001b]8;;\u0007',
} as const;

const allMarks = Object.values(HOSTILE_MARKS).join(' ');

/** Text that wants to be more than text; one held turn with it in the exact effect. */
const HOSTILE: readonly PlotTurn[] = [
  {
    session: `Odd mail ${HOSTILE_MARKS.bidi}`,
    agent: 'Mail-helper',
    atMs: at('13:45:00'),
    prompt: `Look at ${allMarks}`,
    answers: [
      {
        tookMs: 3_000,
        text: `I read it: ${allMarks}`,
        calls: [
          {
            tool: 'search_mail',
            args: { folder: allMarks },
            tookMs: 500,
            result: `${allMarks}\n${'x'.repeat(1_000_000)}`,
          },
        ],
      },
      {
        tookMs: 3_000,
        calls: [
          {
            tool: 'search_mail',
            args: { folder: 'lines' },
            tookMs: 500,
            result: Array.from({ length: 10_000 }, (_, line) => `line ${String(line)}`).join('\n'),
          },
        ],
      },
      { tookMs: 3_000, text: `${allMarks}\n${'long'.repeat(20_000)}` },
    ],
  },
  {
    session: 'Long prompt',
    agent: 'Mail-helper',
    atMs: at('13:50:00'),
    prompt: `${HOSTILE_MARKS.bidi} ${'word'.repeat(250_000)}`,
    answers: [{ tookMs: 2_000, text: `That was long. ${HOSTILE_MARKS.markdown}` }],
  },
  {
    session: 'Odd address',
    agent: 'Mail-helper',
    atMs: at('14:02:00'),
    prompt: `Write to ${HOSTILE_MARKS.html}`,
    answers: [
      {
        tookMs: 4_000,
        calls: [
          {
            tool: 'send_email',
            args: {
              to: `bank@example.org\u202e moc.live@`,
              subject: HOSTILE_MARKS.html,
              body: `${HOSTILE_MARKS.ansi}\n${'y'.repeat(60_000)}`,
            },
            tookMs: 60_000,
          },
        ],
      },
    ],
  },
];
