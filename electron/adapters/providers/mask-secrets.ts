import { redactText } from '../../../shared/redact';
import { UNSEEN } from '../../../shared/unseen';
import { createKnownSecrets, type KnownSecrets } from '../../../shared/secrets/known-secrets';

/** A provider may quote the start or the end of a key; shorter pieces reveal nothing. */
const SHORTEST_PIECE = 8;

/** Shorter values are not secrets, and masking them would only garble text. */
const SHORTEST_SECRET = 4;

/** Nothing longer is shown anyway; bounds the work on an error page of megabytes. */
const MAX_INPUT = 8_000;

function maskOne(text: string, form: string): string {
  let masked = text.replaceAll(form, '***');
  for (let length = form.length - 1; length >= SHORTEST_PIECE; length -= 1) {
    masked = masked.replaceAll(form.slice(0, length), '***');
    masked = masked.replaceAll(form.slice(-length), '***');
  }
  return masked;
}

/** All errors of one provider use the same keys. */
let last: { readonly secrets: string; readonly known: KnownSecrets } | undefined;

function knownOf(secrets: readonly string[]): KnownSecrets {
  const joined = secrets.join('\n');
  if (last?.secrets !== joined) {
    const known = createKnownSecrets();
    for (const secret of secrets) known.learn(secret);
    last = { secrets: joined, known };
  }
  return last.known;
}

/**
 * Makes a provider's text safe to show: masks our keys, including partial and encoded ones, and
 * everything that looks like a key; removes control characters; truncates it to `maxLength` (T6,
 * R2, S2-30). The log has its own redactor; these texts go to windows, the journal and the CLI.
 */
export function maskSecrets(text: string, secrets: readonly string[], maxLength = 300): string {
  let masked = text.slice(0, MAX_INPUT);
  for (const secret of secrets) {
    if (secret.length < SHORTEST_SECRET) continue;
    const quoted = JSON.stringify(secret).slice(1, -1);
    for (const form of new Set([secret, encodeURIComponent(secret), quoted])) {
      masked = maskOne(masked, form);
    }
  }
  const plain = redactText(knownOf(secrets).hide(masked, '***'))
    .replace(UNSEEN, ' ')
    .replace(/[\n\t]+/g, ' ')
    .trim();
  return plain.length <= maxLength ? plain : `${plain.slice(0, maxLength - 1)}…`;
}
