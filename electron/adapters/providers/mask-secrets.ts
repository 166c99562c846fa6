/** Shapes of keys that are masked even where they are not ours. */
const KEY_SHAPES: readonly RegExp[] = [
  /\bsk-[A-Za-z0-9_-]{6,}/g,
  /\bAIza[0-9A-Za-z_-]{10,}/g,
  /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{6,}/gi,
  /([?&](?:key|api_key|token|access_token)=)[^&\s"']+/gi,
  /\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]*/g,
  /(\/\/)[^/@\s:]+:[^/@\s]+@/g,
];

/** A provider may quote the start or the end of a key; shorter pieces say nothing about it. */
const SHORTEST_PIECE = 8;

/** Anything shorter is no secret, and masking it would only spoil words. */
const SHORTEST_SECRET = 4;

/** Nothing longer is shown anyway; bounds the work on an error page of megabytes. */
const LONGEST_INPUT = 8_000;

/**
 * Text of a provider made fit to show: our keys and everything shaped like a key are masked, in
 * part as well, control characters are gone, and it is at most `maxLength` long (T6, R2, S2-30).
 */
export function maskSecrets(text: string, secrets: readonly string[], maxLength = 300): string {
  let masked = text.slice(0, LONGEST_INPUT);
  for (const secret of secrets) {
    if (secret.length < SHORTEST_SECRET) continue;
    for (const form of new Set([
      secret,
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
    ])) {
      masked = masked.replaceAll(form, '***');
      for (let length = form.length - 1; length >= SHORTEST_PIECE; length -= 1) {
        masked = masked.replaceAll(form.slice(0, length), '***');
        masked = masked.replaceAll(form.slice(-length), '***');
      }
    }
  }
  for (const shape of KEY_SHAPES) {
    masked = masked.replace(shape, (_all, kept: unknown) =>
      typeof kept === 'string' ? `${kept}***` : '***',
    );
  }
  // eslint-disable-next-line no-control-regex -- control characters are what is removed here
  const plain = masked
    .replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]+/g, ' ')
    .trim();
  return plain.length <= maxLength ? plain : `${plain.slice(0, maxLength - 1)}…`;
}
