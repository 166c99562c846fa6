/**
 * Which environment variables hold a secret, judged by name only. Pure. Row S2-+05.
 *
 * Names are split into words: `DB_PW`, `dbPassword` and `NPM_CONFIG__AUTH` end in a word for a
 * secret. Suffixes (`_OLD`, `_2`, `_BASE64`, `_PROD`) are ignored.
 */

/** Words for a secret at the end of a name. */
const LAST =
  /(?:^|_)(?:TOKENS?|KEYS?|SECRETS?|PASSWORDS?|PASSWD|PASSPHRASE|PASSCODE|PASS|PWD|PW|CREDENTIALS?|CREDS?|PATS?|APIKEYS?|AUTH|AUTHORIZATION|BEARER|JWTS?|COOKIES?|SESSION|DSN|NKEY|SEED|SALT|PIN|OTP|TOTP|HMAC|SAS|PEM|PFX|P12|CONN_?STR|HEADERS?|WEBHOOKS?|(?:WEB)?HOOK_(?:URL|URI|ENDPOINT)|ACCESS_KEY_ID|SERVICE_ACCOUNT(?:_JSON)?)$/;

/** Words for a secret anywhere in a name, even without a separator. */
const ANYWHERE =
  /SECRET|PASSWORD|PASSPHRASE|PASSWD|PRIVATE_?KEY|PRIVKEY|API_?KEY|ACCESS_?KEY|_TOKEN_|TOKEN$|AUTHORIZATION|BEARER|MNEMONIC|SEED_?(?:PHRASE|WORDS)|RECOVERY_?(?:PHRASE|CODES?)|CONNECTION_?STRING|MYSQL_PWD|(?<!ASK|BY|COM|TRES|SUR)PASS$|[A-Z0-9](?:PWD|WEBHOOK)$|^(?:PHP|J|ASP)?_?SESS(?:ION)?_?ID$/;

/** Prefixes and suffixes that only distinguish variants. */
const DECORATED =
  /_(?:OLD|NEW|BAK|BACKUP|ORIG|PREV|PREVIOUS|CURRENT|NEXT|PROD|PRODUCTION|LIVE|DEV|DEVELOPMENT|TEST|STAGING|LOCAL|DEFAULT|MAIN|PRIMARY|SECONDARY|BASE64|B64|HEX|JSON|RAW|VALUE|ENC|ENCODED|COPY|[A-Z]|V?\d+)$|\d+$/;
const PREFIXED = /^_+|^(?:OLD|NEW|BAK|BACKUP|ORIG|PREV|PREVIOUS|PROD|DEV|TEST|STAGING)_/;

/**
 * Variables that programs need and that hold no secret: the session of a desktop or a terminal, a
 * shell's folder, public keys. `PASSWORD_STORE_…` says where `pass` has its encrypted files.
 */
const ORDINARY =
  /^(?:OLD)?PWD$|^(?:DESKTOP|KDE_FULL|WT|BYOBU|KONSOLE_DBUS)_SESSION$|^PASSWORD_STORE_|PUBLIC_?KEYS?$/;

/** `dbPassword` as `DB_PASSWORD`. */
const worded = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase();

/**
 * The name without variant affixes, for comparing: `LLMWORD_OLD`, `old_llmword_2` are `LLMWORD`.
 */
export function plainName(name: string): string {
  let plain = worded(name);
  for (let left = 4; left > 0; left -= 1) {
    const next = plain.replace(DECORATED, '').replace(PREFIXED, '');
    if (next === plain || next === '') break;
    plain = next;
  }
  return plain;
}

/** True for a name that denotes a secret. */
export function isSecretName(name: string): boolean {
  const upper = name.toUpperCase();
  if (ORDINARY.test(upper)) return false;
  return [upper, worded(name), plainName(name)].some(
    (one) => !ORDINARY.test(one) && (LAST.test(one) || ANYWHERE.test(one)),
  );
}
