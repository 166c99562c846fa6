/** Risks of git calls that require approval. */
import type { FirstWords } from './risk-by-program';
import { BY_VERB, type RiskClass } from './risk-by-program';
import { table } from '../../../shared/table';
import type { Text } from './shell-words';
import { entryOf } from '../../../shared/table';

/** Git's built-in commands; any other is an alias or an added program. */
const OWN_WORDS = new Set(
  (
    'add am annotate apply archive bisect blame branch bugreport bundle cat-file check-attr check-ignore ' +
    'check-mailmap check-ref-format checkout checkout-index cherry cherry-pick citool clean clone column ' +
    'commit commit-graph commit-tree config count-objects credential daemon describe diagnose diff ' +
    'diff-files diff-index diff-tree difftool fast-export fast-import fetch fetch-pack filter-branch ' +
    'fmt-merge-msg for-each-ref for-each-repo format-patch fsck gc get-tar-commit-id grep gui hash-object ' +
    'help hook http-fetch http-push imap-send index-pack init instaweb interpret-trailers lfs log ls-files ' +
    'ls-remote ls-tree mailinfo mailsplit maintenance merge merge-base merge-file merge-index merge-tree ' +
    'mergetool mktag mktree multi-pack-index mv name-rev notes p4 pack-objects pack-redundant pack-refs ' +
    'prune prune-packed pull push range-diff read-tree rebase reflog remote repack replace request-pull ' +
    'rerere reset restore rev-list rev-parse revert rm send-email send-pack shortlog show show-branch ' +
    'show-index show-ref sparse-checkout stage stash status stripspace submodule subtree svn switch ' +
    'symbolic-ref tag unpack-file unpack-objects update-index update-ref update-server-info var ' +
    'verify-commit verify-pack verify-tag version whatchanged worktree write-tree filter-repo'
  ).split(' '),
);

/** Settings that name no program and no other location. */
const PLAIN_SETTING =
  /^(user\.(name|email)|author\.(name|email)|committer\.(name|email)|color\..*|column\..*|advice\..*|init\.defaultbranch|core\.(quotepath|abbrev|autocrlf|eol|filemode|ignorecase|longpaths)|commit\.(gpgsign|verbose)|tag\.(gpgsign|sort)|log\..*|pull\.(rebase|ff)|push\.default|merge\.ff|rebase\.auto.*|diff\.(algorithm|renames|context|colormoved)|protocol\.version|safe\.directory|gc\.auto)=/i;

/** A risk and the name that an approval covers. */
interface GitRisk {
  readonly class: RiskClass;
  readonly covers: string;
}

/** Undefined if the call needs no approval. */
export function gitRisk(
  args: readonly Text[],
  { verbs, isOpen, at }: FirstWords,
): GitRisk | undefined {
  const [verb] = verbs;
  const unclear: GitRisk = { class: 'unclear', covers: '' };
  const before = args.slice(0, at);
  if (setsProgram(before)) return unclear;
  for (const one of verbs) {
    const classes = BY_VERB.get('git')?.classes ?? {};
    const kind = entryOf(classes, one);
    if (kind !== undefined) return { class: kind, covers: coversOf(one, args.slice(at)) };
  }
  if (isOpen) return unclear;
  if (verb === undefined) return undefined;
  if (!OWN_WORDS.has(verb)) return unclear;
  return byOptions(verb, args.slice(at));
}

/** A push that can lose commits of others is not covered by permission for pushes. */
function coversOf(verb: string, args: readonly Text[]): string {
  const has = (pattern: RegExp): boolean =>
    args.some((arg) => arg !== undefined && pattern.test(arg));
  if (verb !== 'push') return `git ${verb}`;
  if (has(FORCED)) return 'git push --force';
  return has(DELETES) ? 'git push --delete' : 'git push';
}

const FORCED = /^(-[a-zA-Z]*f[a-zA-Z]*|--for.*|--m.*|--pru.*|\+.+)$/s;
const DELETES = /^(-[a-zA-Z]*d[a-zA-Z]*|--de.*|:.+)$/s;

/** Options of single commands that name what runs. */
const RUNS_BY_COMMAND = table<RegExp>({
  clone: /^(-[a-zA-Z]*[uc]|--(up|co)|--te[a-z]*(?!=$)(=|$))/,
  init: /^--te[a-z]*(?!=$)(=|$)/,
  'ls-remote': /^(-[a-zA-Z]*u|--up)/,
  'merge-index': /./,
  'send-email': /^--(sendm|to-c|cc-c|header-c|smtp-server=?\/?$|smtp-server=\/)/,
  instaweb: /^-/,
  daemon: /^--access/,
});

/** `git clone -u 'rm x' a b`, but not `-c` with a setting that names no program. Pure. */
export function runsByGit(args: readonly Text[], { verbs, at }: FirstWords): boolean {
  const rest = args.slice(at);
  return verbs.some((verb) =>
    rest.some(
      (arg, index) =>
        arg !== undefined &&
        RUNS_BY_COMMAND[verb]?.test(arg) === true &&
        !PLAIN_SETTING.test(arg.replace(/^(-c|--config=)/, '')) &&
        !(/^(-c|--config)$/.test(arg) && PLAIN_SETTING.test(rest[index + 1] ?? '')),
    ),
  );
}

/** `-c alias.x=!rm` */
function setsProgram(args: readonly Text[]): boolean {
  return args.some((arg, at) => {
    if (arg === undefined) return false;
    if (/^(--config-env|--exec-path=)/.test(arg)) return true;
    const isSetting = args[at - 1] === '-c' || (arg.startsWith('-c') && arg.length > 2);
    return isSetting && !PLAIN_SETTING.test(arg.replace(/^-c/, ''));
  });
}

/** Settings that name what git runs, or where it connects. */
const RUNS_SETTING =
  /^(alias|pager|include(if)?|filter|credential|gpg|sendemail|browser|man|url)\.|^core\.(pager|editor|sshcommand|fsmonitor|hookspath|askpass|gitproxy|alternaterefscommand|worktree|attributesfile)$|^remote\.[^]*\.(url|pushurl|uploadpack|receivepack|vcs|proxy)$|^(diff|merge|mergetool|difftool)\.[^]*\.(command|textconv|driver|cmd|path)$|^(diff\.external|sequence\.editor|interactive\.difffilter|web\.browser|uploadpack\.packobjectshook|init\.templatedir|ssh\.variant|http\.[^]*proxy|protocol\.[^]*allow)$/i;

/** `git config core.pager 'rm x'`; reading one is no risk, nor is taking it away. */
function setsRunning(args: readonly Text[]): boolean {
  if (args.some((arg) => arg !== undefined && /^(-e|--edit|edit|-f|--file\b.*)$/.test(arg)))
    return true;
  const words = args.filter((arg) => arg === undefined || !arg.startsWith('-'));
  const [first, ...rest] = words[0] === 'set' ? words.slice(1) : words;
  if (/^(get|list|unset|rename-section|remove-section)$/.test(first ?? '')) return false;
  if (args.some((arg) => arg !== undefined && /^(--get|--unset|--remove)/.test(arg))) return false;
  return rest.length > 0 && (first === undefined || RUNS_SETTING.test(first));
}

/** A word or an option that makes a command one of these, and what an approval of it covers. */
const BY_WORD = table<readonly [RegExp, RiskClass, string]>({
  reset: [/^--h(a(rd?)?)?$/, 'deletes', 'git reset --hard'],
  branch: [/^(-[a-zA-Z]*[dDMf]|--d|--force?$)/, 'deletes', 'git branch -d'],
  tag: [/^(-[a-zA-Z]*[dDMf]|--d|--force?$)/, 'deletes', 'git tag -d'],
  stash: [/^(drop|clear)$/, 'deletes', 'git stash -d'],
  'update-ref': [/^(-d|--stdin)$/, 'deletes', 'git update-ref -d'],
  reflog: [/^(expire|delete)$/, 'deletes', 'git reflog delete'],
  worktree: [/^(remove|prune)$/, 'deletes', 'git worktree remove'],
  remote: [/^(update|show|prune|-f|--fetch)$/, 'network', 'git remote update'],
  archive: [/^--remote/, 'network', 'git archive --remote'],
  // It is done again and again from now on.
  maintenance: [/^(start|register)$/, 'rights', 'git maintenance start'],
});

function byOptions(verb: string, args: readonly Text[]): GitRisk | undefined {
  const has = (pattern: RegExp): boolean =>
    args.some((arg) => arg !== undefined && pattern.test(arg));
  const deletes = (covers: string): GitRisk => ({ class: 'deletes', covers });
  const unclear: GitRisk = { class: 'unclear', covers: '' };
  const [word, kind, covers] = BY_WORD[verb] ?? [];
  if (word !== undefined && kind !== undefined && covers !== undefined)
    return has(word) ? { class: kind, covers } : undefined;
  switch (verb) {
    case 'instaweb':
      return { class: 'network', covers: 'git instaweb' };
    case 'restore':
      return has(/^(--staged|-[a-zA-Z]*S)/) && !has(/^(--w|-[a-zA-Z]*W)/)
        ? undefined
        : deletes('git restore');
    case 'checkout':
    case 'switch':
      return args.includes('.') ||
        args.includes('--') ||
        has(/^(-[a-zA-Z]*f|--fo|--discard|-C$)/) ||
        has(/^:|[*]/) ||
        // A commit and files of it.
        (verb === 'checkout' &&
          !has(/^(-[a-zA-Z]*[bBt]|--(tr|or))/) &&
          args.filter((arg) => arg?.startsWith('-') !== true).length > 1)
        ? deletes(`git ${verb}`)
        : undefined;
    case 'subtree':
      if (has(/^push$/)) return { class: 'publishes', covers: 'git subtree push' };
      return has(/^(pull|add)$/) ? { class: 'network', covers: 'git subtree pull' } : undefined;
    case 'bisect':
      return has(/^run$/) ? unclear : undefined;
    case 'rebase':
      return has(/^(-[a-zA-Z]*x|--ex)/) ? unclear : undefined;
    case 'difftool':
    case 'mergetool':
    case 'for-each-repo':
    case 'hook':
      return unclear;
    case 'grep':
      return has(/^(-[a-zA-Z]*O|--op)/) ? unclear : undefined;
    case 'config':
      return setsRunning(args) ? unclear : undefined;
    default:
      return undefined;
  }
}
