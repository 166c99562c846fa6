import { redactText } from '../../shared/redact';

/** Replaces every label value that has odd characters, is too long, or exceeds the limit. */
export const OTHER = 'other';

/** Different values that one metric may have before further ones are counted together. */
export const MAX_SERIES = 200;

const NAME = /^[A-Za-z0-9][A-Za-z0-9._:+-]{0,63}$/;
/** One slash is allowed: `meta-llama/llama-3:70b`. */
const MODEL = /^[A-Za-z0-9][A-Za-z0-9._:+-]{0,63}(\/[A-Za-z0-9._:+-]{1,64})?$/;

/**
 * A name as a label: letters, digits and `._:+-`, at most 64. Other names of tools (a path, an
 * address, half a prompt) and values that look like a key become {@link OTHER}. H7.
 */
export const nameLabel = (text: string): string => safe(text, NAME);
/** The same for models, which may contain one slash. */
export const modelLabel = (text: string): string => safe(text, MODEL);

const safe = (text: string, form: RegExp): string =>
  form.test(text) && redactText(text) === text ? text : OTHER;
