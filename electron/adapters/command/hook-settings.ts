import { quoted } from '../../../shared/shell-quoted';

/** Longest time that Claude Code waits for a hook: it may need the user's answer. */
const ASK_SECONDS = 24 * 60 * 60;
const NOTE_SECONDS = 30;

interface Self {
  readonly command: string;
  readonly args: readonly string[];
}

/** Quotes a word for a POSIX shell; on Windows, for `cmd`. */
export function shellWord(word: string, platform: string = process.platform): string {
  if (platform === 'win32') return `"${word.replaceAll('"', '')}"`;
  return quoted(word);
}

const commandLine = (self: Self, more: readonly string[]): string =>
  [self.command, ...self.args, ...more].map((word) => shellWord(word)).join(' ');

type HookList = readonly {
  readonly matcher?: string;
  readonly hooks: readonly {
    readonly type: 'command';
    readonly command: string;
    readonly timeout: number;
  }[];
}[];

const entry = (command: string, timeout: number, matcher?: string): HookList => [
  { ...(matcher === undefined ? {} : { matcher }), hooks: [{ type: 'command', command, timeout }] },
];

/** The settings of one run of Claude Code: hooks that report to the Holdfast that started it. */
export function runSettings(
  self: Self,
  turn: {
    readonly dataDir: string;
    readonly records: string;
    readonly turnId: number;
    readonly attempt: number;
  },
): string {
  const command = commandLine(self, [
    'hook',
    'turn',
    '--data-dir',
    turn.dataDir,
    '--records',
    turn.records,
    '--turn',
    String(turn.turnId),
    '--attempt',
    String(turn.attempt),
  ]);
  return JSON.stringify({
    hooks: {
      SessionStart: entry(command, NOTE_SECONDS),
      PreToolUse: entry(command, ASK_SECONDS, '*'),
      PostToolUse: entry(command, NOTE_SECONDS, '*'),
      PostToolUseFailure: entry(command, NOTE_SECONDS, '*'),
    },
  });
}
