/**
 * Which named remote a command line reaches: `git push origin main` contains only "origin", and the
 * repository knows the address. Answers only for a line that is exactly one push or fetch: a commit
 * before it runs hooks, which may change the address. Source: S3-06; security F3.
 */
import type { NamedRemote } from '../../ports/tool-call';

const MAX_COMMAND_CHARS = 20_000;
/**
 * Arguments that every shell takes literally: no quotes, no expansions, no command separators. A
 * line that is not fully understood yields nothing.
 */
const LINE =
  /^[ \t]*git[ \t]+(push|fetch)((?:[ \t]+[\w@%+=:,./^-][\w@%+=:,./^~-]*)*)[ \t]*(?:2>&1[ \t]*)?$/;
/** Options that concern one remote and take no value. Not `--all`, `--multiple` or submodules. */
const BOTH = 'quiet|verbose|progress|atomic|prune|dry-run|force|no-recurse-submodules';
const FLAGS = {
  push: new RegExp(
    `^(-[ufnqvd]+|--(${BOTH}|set-upstream|force-with-lease(=.*)?|force-if-includes|tags|follow-tags|delete|mirror|no-verify|porcelain))$`,
  ),
  fetch: new RegExp(`^(-[fnqvtap]+|--(${BOTH}|tags|no-tags|append|porcelain))$`),
};
/** A name, not a URL or a path: those contain their target. */
const NAME = /^[A-Za-z0-9_][\w.-]*$/;

/** Pure; never throws. */
export function namedRemote(command: string): NamedRemote | undefined {
  if (command.length > MAX_COMMAND_CHARS) return undefined;
  const [, sub, rest = ''] = LINE.exec(command) ?? [];
  if (sub !== 'push' && sub !== 'fetch') return undefined;
  const words = rest.split(/[ \t]+/).filter((word) => word !== '');
  const flags = words.filter((word) => word.startsWith('-'));
  if (!flags.every((flag) => FLAGS[sub].test(flag))) return undefined;
  const remote = words.find((word) => !word.startsWith('-'));
  if (remote !== undefined && !NAME.test(remote)) return undefined;
  return { isPush: sub === 'push', remote };
}
