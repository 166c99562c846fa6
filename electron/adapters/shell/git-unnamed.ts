/**
 * Why the destination of a git command line is unknown, as text. Pure. Source: S3-06; security F3.
 */

const MAX_COMMAND_CHARS = 20_000;

/** The first match is used. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [
    /[ \t]--(all|multiple)\b/,
    'it connects to several or all remotes, and each has its own address',
  ],
  [/submodule/, 'it also connects to the remotes of submodules'],
  [
    /[;&|\n(){}`$]|\bcommit\b/,
    'the line has more than this one command, and what else runs, such as a commit hook, can redirect it',
  ],
  [
    /(^|\s)(\w+=|-C\b|-c\b|--git-dir|--work-tree|--exec-path|--config-env)/,
    'the line points git to other settings or another folder',
  ],
  [/\bpull\b/, 'a pull also merges, and runs hooks and submodules with that'],
  [
    /\b(push|fetch)\b.*\s[^\s-]\S*[:/\\]\S*(\s|$)/,
    'the line itself contains an address or a path, and git settings can redirect that',
  ],
];

/**
 * The reason for a line that pushes, fetches or pulls and is not a single push or fetch of one
 * remote; undefined if it does none of these.
 */
export function whyUnnamed(command: string): string | undefined {
  const start = command.slice(0, MAX_COMMAND_CHARS).replaceAll(/\s2>&1\s*$/g, '');
  if (!/\bgit\b/.test(start) || !/\b(push|fetch|pull)\b/.test(start)) return undefined;
  const found = REASONS.find(([what]) => what.test(start));
  return found?.[1] ?? 'Holdfast does not know every word of the line';
}
