/**
 * Whether an approval for a program covers a call of it. A user who allows `curl` saw a call that
 * queries a server; a call that writes the response to a file, or reads settings from elsewhere,
 * needs a separate approval.
 */
import { SWALLOWS } from './risk-by-program';
import type { ShellPart } from './shell-parts';
import type { Text } from './shell-words';

/** They delete what they are given and do nothing else. */
const DELETERS = new Set(['rm', 'rmdir', 'unlink', 'shred', 'truncate']);

/** Options with which a program runs another one, or takes its settings from a file. */
const RUNS =
  /^(-e|-E|-F|-S|-K|-oProxy|-oLocal|-oPermit|--(rsh|exec|shell|script-shell|node-options|config|userconfig|globalconfig|receive-pack|upload-pack|template|exec-path|config-env|pre|post|use-compress-program|to-command|entrypoint|privileged|proxy-command)\b)/;
const RUNS_BEHIND = /^-(o|c|u)$/;
const RUNS_VALUE = /^(ext|fd)::|^(Proxy|Local|PermitLocal)\w*[= ]|^core\.|^!/i;

/** Options of curl that only shape what is asked and what is shown of the answer. */
const CURL_OPTION = new RegExp(
  '^(?:-[sSfLvIikgGNj0146#]*(?:[sSfLvIikgGNj0146#]|[XHAemdubw].*)|' +
    '--(?:silent|show-error|fail|fail-with-body|location|verbose|head|include|insecure|globoff|get|compressed|' +
    'no-buffer|no-progress-meter|http1\\.1|http2|ipv4|ipv6|max-time|connect-timeout|retry|retry-delay|' +
    'request|header|user-agent|referer|data|data-raw|data-urlencode|json|user|url|write-out))$',
  's',
);
const WGET_OPTION =
  /^(-[qvSc46]*(O-?)?|-[Tt]\d*|--(quiet|spider|server-response|output-document=-|timeout=\d+|tries=\d+|header=.*|method=\w+|user-agent=.*))$/s;

/**
 * True where leave for the part's own name, or for it and its first word, covers this call. Pure.
 */
export function isCoverable(part: ShellPart): boolean {
  const { name, args } = part;
  if (name === undefined) return false;
  if (SWALLOWS.has(name)) return part.isBare;
  const known = args.filter((arg) => arg !== undefined);
  if (known.some(isOutside)) return false;
  if (DELETERS.has(name)) return part.isBareButFed;
  if (!part.isBare || known.length < args.length) return false;
  if (name === 'find') return !known.some((arg) => /^-(exec|ok|f)/.test(arg));
  if (name === 'curl') return isPlainCurl(known);
  if (name === 'wget') return isPlainWget(known);
  if (name === 'git' && known.includes('foreach')) return false;
  return known.every((arg, at) => {
    if (RUNS_VALUE.test(arg)) return false;
    // What curl, ssh and their kind take behind -o is a file or a setting.
    return !RUNS.test(arg) && !(RUNS_BEHIND.test(known[at - 1] ?? '') && /[:=!]/.test(arg));
  });
}

function isPlainCurl(args: readonly string[]): boolean {
  return args.every((arg) =>
    arg.startsWith('-')
      ? CURL_OPTION.test(arg) && !/^-\w*[Hdbw]@|%output/.test(arg)
      : !arg.startsWith('@') && !arg.includes('%output') && isWebAddress(arg),
  );
}

/** An address of the web, or text that is no address at all. */
const isWebAddress = (text: string): boolean =>
  /^https?:\/\//i.test(text) || !/^[a-z][a-z0-9+.-]*:\/\//i.test(text);

/** It prints: else it writes a file whose name the server has a say in. */
function isPlainWget(args: readonly string[]): boolean {
  const prints = args.some(
    (arg, at) =>
      /^(-[qvSc46]*O-|--output-document=-|--spider)$/.test(arg) ||
      (/^-[qvSc46]*O$/.test(arg) && args[at + 1] === '-'),
  );
  return (
    prints && args.every((arg) => !arg.startsWith('-') || arg === '-' || WGET_OPTION.test(arg))
  );
}

/**
 * Whether an argument points outside the workspace, as far as the text shows; also after an option
 * or a name.
 */
export function isOutside(word: Text): boolean {
  if (word === undefined) return true;
  if (/^\/dev\/(null|stdout|stderr)$/.test(word)) return false;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(word)) return false;
  const path = word.replace(/^(-\w|--[\w-]+=|[\w.@-]+[=:])(?=[~/.])/, '');
  if (path.split('/').includes('..')) return true;
  return path.startsWith('/tmp/') ? false : path.startsWith('/') || path.startsWith('~');
}
