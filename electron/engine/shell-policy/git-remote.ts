/**
 * Which remote a command line reaches by name: `git push origin main` says "origin", and only the
 * repository knows where that is. Told only of a line that is this one push or fetch and nothing
 * else: a commit before it runs hooks, and those may change where it goes. Source: S3-06; security F3.
 */
import type { NamedRemote } from '../../ports/tool-call';

const MAX_COMMAND_CHARS = 20_000;
/**
 * Words that every shell takes as they stand: no quotes, no expansions, nothing that ends a command.
 * What is not understood in full is not told.
 */
const LINE =
  /^[ \t]*git[ \t]+(push|fetch)((?:[ \t]+[\w@%+=:,./^-][\w@%+=:,./^~-]*)*)[ \t]*(?:2>&1[ \t]*)?$/;
/** Of one remote, and without a value of their own. Not `--all`, `--multiple` or submodules. */
const BOTH = 'quiet|verbose|progress|atomic|prune|dry-run|force|no-recurse-submodules';
const FLAGS = {
  push: new RegExp(
    `^(-[ufnqvd]+|--(${BOTH}|set-upstream|force-with-lease(=.*)?|force-if-includes|tags|follow-tags|delete|mirror|no-verify|porcelain))$`,
  ),
  fetch: new RegExp(`^(-[fnqvtap]+|--(${BOTH}|tags|no-tags|append|porcelain))$`),
};
/** A name, not a URL and not a path: those say by themselves where they go. */
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
