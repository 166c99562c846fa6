/** Why a schedule was rejected; `error` quotes the input and lists what is accepted. */
type RefusalCode =
  | 'not_string'
  | 'empty'
  | 'too_long'
  | 'non_ascii'
  | 'syntax'
  | 'incomplete'
  | 'trailing'
  | 'missing_unit'
  | 'unknown_unit'
  | 'zero'
  | 'negative'
  | 'too_small'
  | 'too_large'
  | 'field_count'
  | 'out_of_range'
  | 'never'
  | 'past'
  | 'unknown_zone';

export interface Refusal {
  readonly ok: false;
  readonly code: RefusalCode;
  readonly error: string;
}

const MAX_QUOTED = 60;

/** The input as a message quotes it: short, on one line, without control characters. */
export function quoted(input: unknown): string {
  const isPlain = typeof input === 'object' || typeof input === 'number';
  const text = isPlain ? (JSON.stringify(input) ?? '') : String(input);
  // Truncated first: the rest of a long text is not read.
  const visible = text.slice(0, MAX_QUOTED).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ');
  return `"${visible}${text.length > MAX_QUOTED ? '…' : ''}"`;
}

/** Every error names the input first, then what is wrong with it, then what is accepted. */
export function refuse(code: RefusalCode, input: unknown, what: string): Refusal {
  return { ok: false, code, error: `${quoted(input)} is not a schedule: ${what}` };
}
