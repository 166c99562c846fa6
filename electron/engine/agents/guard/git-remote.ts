/**
 * Which remote a command line reaches by name: `git push origin main` says "origin", and only the
 * repository knows where that is. Told only where nothing else in the line could change it.
 */
import type { NamedRemote } from '../../../ports/tools';
import { parse, walk } from './shell-walk';

const MAX_COMMAND_CHARS = 20_000;
const REACHING = new Set(['push', 'fetch', 'pull']);
/** They change neither the folder, nor the branch, nor the settings of the repository. */
const HARMLESS = new Set(['add', 'commit', 'status', 'diff', 'log', 'show', 'tag']);
const FLAGS =
  /^(-[ufnqvdat]+|--(set-upstream|force|force-with-lease(=.*)?|force-if-includes|tags|follow-tags|no-tags|all|delete|dry-run|quiet|verbose|progress|atomic|prune|mirror|no-verify|porcelain|rebase(=.*)?|no-rebase|ff-only|no-ff|autostash))$/;
/** A name, not a URL and not a path: those say by themselves where they go. */
const NAME = /^[A-Za-z0-9_][\w.-]*$/;

/** Pure; never throws. */
export function namedRemote(command: string): NamedRemote | undefined {
  if (command.length > MAX_COMMAND_CHARS) return undefined;
  const script = parse(command);
  if (script === undefined) return undefined;
  const reaching: (readonly string[])[] = [];
  let isPlain = true;
  walk(script, {
    command: (name, args) => {
      const known = args.filter((one) => one !== undefined);
      const [sub, ...rest] = known;
      const isKnown = name === 'git' && known.length === args.length && sub !== undefined;
      if (isKnown && REACHING.has(sub)) reaching.push([sub, ...rest]);
      else if (!isKnown || !HARMLESS.has(sub)) isPlain = false;
    },
    writes: () => {
      isPlain = false;
    },
  });
  // A variable before the command may lead git to another repository.
  if (/\b(GIT_\w+|HOME|XDG_CONFIG_HOME)=/.test(command)) isPlain = false;
  const [only, second] = reaching;
  if (!isPlain || only === undefined || second !== undefined) return undefined;
  const [sub, ...rest] = only;
  const words = rest.filter((word) => !word.startsWith('-'));
  if (rest.some((word) => word.startsWith('-') && !FLAGS.test(word))) return undefined;
  const [remote] = words;
  if (remote !== undefined && !NAME.test(remote)) return undefined;
  return { isPush: sub === 'push', remote };
}
