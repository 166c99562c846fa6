/**
 * Hides likely secrets that were never registered: by their vendor's prefix, by the name
 * before them, or by their position. Pure.
 *
 * Every pattern starts at a rare text and is bounded, so that hostile text cannot make it slow.
 * None matches past the end of a quoted text, because finished lines of JSON are redacted as well.
 */

type Shape = readonly [pattern: RegExp, isPrefixKept: boolean];

/** Vendor prefixes, each followed by random characters. */
const MARKS: readonly string[] = [
  '[srp]k[-_](?:live|test|ant|proj|or|svcacct)?[-_]?[A-Za-z0-9_-]{8,400}',
  '(?:gsk_|hf_|gh[opusr]_|github_pat_|npm_|xox[a-z][-.]|xapp-|dckr_pat_|shp(?:at|ss|ca|pa)_|do[opr]_v1_|lin_api_|figd_|rubygems_|glsa_|nvapi-|pplx-|xai-|tvly-|tskey-|PMAK-|sq0[a-z]{3}-|whsec_|pypi-|sntry[su]_|ATATT3|ATCTT3|ops_eyJ|r8_)[A-Za-z0-9_.=-]{8,1000}',
  'gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt|oas)-[A-Za-z0-9_.-]{8,400}',
  'hv[sbr]\\.[A-Za-z0-9_-]{8,400}',
  'SG\\.[A-Za-z0-9_-]{8,100}(?:\\.[A-Za-z0-9_-]{1,200})?',
  'AIza[0-9A-Za-z_-]{30,60}',
  'ya29\\.[A-Za-z0-9_-]{10,2000}',
  'A(?:KIA|SIA|ROA|IDA|GPA|NPA|NVA)[0-9A-Z]{12,124}\\b',
  'AGE-SECRET-KEY-1[0-9A-Z]{20,100}',
  'S[UAONCX][A-Z2-7]{50,60}\\b',
  'SK[0-9a-f]{32}\\b',
  'key-[0-9a-f]{32}\\b',
  'dapi[0-9a-f]{32}',
  '\\d{8,10}:AA[A-Za-z0-9_-]{30,50}',
];

/** Characters of JWT parts: each run of them is read once, from its start. */
const JWT_RUN = /(?<![\w-])[\w-]{8,}(?=\.{1,2}[\w-]{5})/g;
const JWT_HEAD = /\beyJ[\w-]{5}/;
const JWT_REST = /(?:\.{1,2}[\w-]+){1,4}/y;

/**
 * A pattern that started at each `eyJ` of a long run would read the rest of the run again each
 * time. A run may also be the second part of something else, so each is checked.
 */
function hideJwts(text: string, mask: string): string {
  if (!text.includes('eyJ')) return text;
  const pieces: string[] = [];
  let done = 0;
  JWT_RUN.lastIndex = 0;
  for (let run = JWT_RUN.exec(text); run !== null; run = JWT_RUN.exec(text)) {
    const at = run[0].search(JWT_HEAD);
    if (at < 0) continue;
    pieces.push(text.slice(done, run.index + at), mask);
    JWT_REST.lastIndex = JWT_RUN.lastIndex;
    done = JWT_REST.test(text) ? JWT_REST.lastIndex : JWT_RUN.lastIndex;
    JWT_RUN.lastIndex = done;
  }
  return pieces.join('') + text.slice(done);
}

/** Names after which any value is a secret. */
const NAMES =
  'api[_-]?keys?|secret(?:[_-]?(?:access)?[_-]?key)?|private[_-]?key|access[_-]?key(?:[_-]?id)?|passw(?:or)?ds?|passphrase|passcode|token|credentials?|creds?|(?<![a-z])nkey|mnemonic|connection[_-]?string|webhook(?:[_-]?url)?';
/**
 * Names that also have other meanings: only a random-looking or quoted value after them is a
 * secret.
 */
const DOUBTFUL = 'auth|pass|pwd?|dsn';
const VAGUE = 'auth|pass|pwd?|dsn|keys?|sig|signature|salt|seed|sid|jwt|pat|nonce';
/** Placeholders that are not values. */
const NO_VALUE =
  '(?!(?:none|basic|bearer|digest|oauth2?|required|optional|disabled|enabled|missing|null|true|false|ok)\\b)';
const BETWEEN = '[\\\\"\']{0,4}\\s{0,4}[:=]\\s{0,4}';
const NOT_HIDDEN = '(?!\\[redacted\\])';

const SHAPES: readonly Shape[] = [
  [
    /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^"-]|-(?!----))*(?:-----END [A-Z0-9 ]{0,60}-----)?/g,
    false,
  ],
  [/((?:authorization|cookie)[\\"']{0,4}\s{0,4}[:=]\s{0,4}[\\"']{0,4})[^\r\n"'\\]{1,4000}/gi, true],
  [/(\bbearer\s{1,4})[A-Za-z0-9._~+/=-]{6,4000}/gi, true],
  [
    /(\b(?:[Bb]asic|BASIC)\s{1,4})(?=[A-Za-z]?[a-z]{0,60}[A-Z0-9=+/])[A-Za-z0-9+/_=-]{6,4000}/g,
    true,
  ],
  [new RegExp(`\\b(?:${MARKS.join('|')})`, 'g'), false],
  [
    /((?:hooks\.slack\.com\/[a-z]{1,20}\/|discord(?:app)?\.com\/api\/webhooks\/|webhook\.office\.com\/|api\.telegram\.org\/bot|hooks\.zapier\.com\/hooks\/))[^\s"'<>\\]{4,1000}/gi,
    true,
  ],
  [/(:\/\/)[^\s/?#"\\<>]{1,2000}(?=@)/g, true],
  [
    /([?&#][a-z0-9_.-]{0,40}(?:key|token|secret|password|passwd|signature|sig|auth|credential|code|pass|pwd)=)[^&#\s"'\\]{1,4000}/gi,
    true,
  ],
  // Quoted: to the closing quote, spaces too.
  [
    new RegExp(
      `((?:${NAMES}|(?<![A-Za-z])(?:${DOUBTFUL}))[\\\\"']{0,4}\\s{0,4}[:=]\\s{0,4}(?:\\\\{0,3}"|'))${NOT_HIDDEN}${NO_VALUE}[^"'\\\\\\r\\n]{3,4000}`,
      'gi',
    ),
    true,
  ],
  [
    new RegExp(`((?:${NAMES})${BETWEEN}[\\\\"']{0,4})${NOT_HIDDEN}[^\\s"',;&}\\\\]{4,4000}`, 'gi'),
    true,
  ],
  [
    new RegExp(
      `((?<![A-Za-z])(?:${VAGUE})${BETWEEN}[\\\\"']{0,4})${NOT_HIDDEN}(?=[A-Za-z_+=-]{0,60}\\d)(?=[\\d_+=-]{0,60}[A-Za-z])[A-Za-z0-9_+=~!@#$%^*-]{6,4000}(?![A-Za-z0-9./:])`,
      'gi',
    ),
    true,
  ],
  // On a command line: `curl -u user:password`, `--password x`, `sshpass -p x`.
  [
    /((?<!\S)(?:-[uU]\s{0,4}|--(?:proxy-)?user[= ]\s{0,4})["']?)(?!\d{1,10}:\d)[^\s"':]{1,100}:(?!\/\/)[^\s"']{2,400}/g,
    true,
  ],
  [
    /((?:(?<!\S)--?(?:[a-z]{1,20}-)?(?:password|passwd|pass|token|secret|api-?key|access-?key|passphrase)[= ]|\bsshpass\s{1,4}-p)\s{0,4}["']?)(?!\[redacted\]|-)[^\s"'\\]{4,400}/gi,
    true,
  ],
];

/** The text with `mask` in place of everything that looks like a secret. */
export function hideShapes(text: string, mask: string): string {
  let result = hideJwts(text, mask);
  for (const [pattern, isPrefixKept] of SHAPES)
    result = result.replace(pattern, isPrefixKept ? `$1${mask}` : mask);
  return result;
}
