/** Which names of environment variables stand for a secret. Pure. Row S2-+05. */
const SECRET_NAME =
  /(^|_)(TOKENS?|KEYS?|SECRETS?|PASSWORDS?|PASSWD|PASSPHRASE|PASS|PWD|CREDENTIALS?|CREDS|PAT|APIKEY|AUTH|COOKIE|DSN|ACCESS_KEY_ID|CONNECTION_STRING)$|(SECRET|PASSWORD|PASSPHRASE|PRIVATE_?KEY|API_?KEY|_TOKEN_|TOKEN$|PASSWD)/i;

/**
 * True for names ending in `_TOKEN _KEY _SECRET _PASSWORD _CREDENTIALS` and their relatives; `PWD` by
 * itself is the folder of a shell.
 */
export const isSecretName = (name: string): boolean =>
  name !== 'PWD' && (SECRET_NAME.test(name) || /PGPASS|MYSQL_PWD/.test(name));
