/** Which values of environment variables look like secrets, and which never are. Pure. */

/** `postgres://user:secret@host`. */
const URL_WITH_PASSWORD = /^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:[^/\s@]+@/i;
/** `user:secret@tcp(host)/name`, as Go writes it. */
const LOGIN_BEFORE_HOST = /^[^\s:@/]+:[^\s@/]+@(?:tcp|udp|unix)\(/i;
/** `Server=a;Password=b`, `-Dtrust.password=b`, `https://a/?access_token=b`. */
const NAMED_PART =
  /(?:password|passwd|secret|token|api_?key|accountkey|sharedaccess(?:key|signature)|(?:^|[;&?\s])(?:pwd|auth|sig|signature))["']?\s{0,4}[=:]\s{0,4}["']?[^\s;&"',]{3}/i;
/** Prefixes that vendors use. */
const MARKED =
  /^(?:Bearer |Basic )\S|(?:^|[^A-Za-z0-9])(?:sk-[A-Za-z0-9_-]{8,}|[sr]k_(?:live|test)_\w{8,}|gh[opusr]_\w{10,}|github_pat_\w{10,}|gl(?:pat|dt|rt|cbt)-[\w-]{10,}|xox[a-z]-[\w-]{8,}|xapp-[\w-]{8,}|hf_\w{10,}|npm_\w{20,}|pypi-\w{10,}|AIza[\w-]{30,}|A(?:KIA|SIA)[A-Z0-9]{12,}|hv[sbr]\.[\w-]{10,}|whsec_\w{8,}|SG\.[\w-]{10,}|dop_v1_\w{10,}|AGE-SECRET-KEY-1\w{10,}|eyJ[\w-]{8,}\.[\w-]{8,})|-----BEGIN [A-Z ]{0,40}PRIVATE KEY|hooks\.slack\.com\/(?:services|workflows|triggers)\/|discord(?:app)?\.com\/api\/webhooks\//;

/** True if a value is recognizably a secret, or contains one. */
export const isSecretValue = (value: string): boolean =>
  URL_WITH_PASSWORD.test(value) ||
  LOGIN_BEFORE_HOST.test(value) ||
  NAMED_PART.test(value) ||
  MARKED.test(value);

const NUMBER_OR_SWITCH = /^(?:|[+-]?\d{1,15}(?:\.\d{1,9})?|true|false|yes|no|on|off|none|null)$/i;
const PATHS = /^(?:~|\.{0,2}|[A-Za-z]:)[/\\][^\0\n]*$/;
const URL_ALONE = /^[a-z][a-z0-9+.-]*:\/\/[^\s@?#]*$/i;

/** True if a value holds no secret: a number, a switch, paths of files, a plain address. */
export const isOrdinaryValue = (value: string): boolean =>
  !isSecretValue(value) &&
  (NUMBER_OR_SWITCH.test(value) || PATHS.test(value) || URL_ALONE.test(value));

/** A name that denotes where something is stored. */
const PLACE_NAME =
  /(?:^|_)(?:FILE|PATH|DIR|DIRECTORY|FOLDER|HOME|SOCK|SOCKET|STORE|JAR|PEM|PFX|P12)S?$/i;

/** True if a variable holds the place of a secret and not the secret. */
export const isPlaceOfSecret = (name: string, value: string): boolean =>
  PLACE_NAME.test(name) && PATHS.test(value) && !isSecretValue(value);

/** Names that count something as often as they hold a secret: `MAX_TOKENS`, `SEED`, `ENABLE_AUTH`. */
const COUNTED_NAME = /(?:^|_)(?:TOKENS|KEYS|SEED|SESSION|HEADERS?|AUTH|COOKIES)$/i;

/** True if a variable of such a name holds a number or a switch. */
export const isCounted = (name: string, value: string): boolean =>
  COUNTED_NAME.test(name) && value !== '' && NUMBER_OR_SWITCH.test(value);
