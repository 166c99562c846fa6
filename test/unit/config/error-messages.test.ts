import { describe, expect, it } from 'vitest';
import { ERROR_CODES as KERNEL_CODES } from '../../../electron/engine/kernel/errors';
import { ERROR_CODES } from '../../../shared/error-codes';
import { ERROR_MESSAGES, errorMessage } from '../../../shared/error-messages';

describe('error messages', () => {
  it('S2-30 has one sentence and one next step for every code, and no line without a code', () => {
    expect(Object.keys(ERROR_MESSAGES).sort()).toEqual([...ERROR_CODES].sort());
    expect(KERNEL_CODES).toBe(ERROR_CODES);
  });

  it('S2-30 has unique codes in upper case', () => {
    expect(new Set(ERROR_CODES).size).toBe(ERROR_CODES.length);
    for (const code of ERROR_CODES) expect(code).toMatch(/^[A-Z]+(_[A-Z]+)*$/);
  });

  it.each(ERROR_CODES)('S2-30 %s is written as whole sentences without the code', (code) => {
    const { sentence, next } = ERROR_MESSAGES[code];
    for (const text of [sentence, next]) {
      expect(text).toMatch(/^[A-Z].{15,160}\.$/s);
      expect(text).not.toContain(code);
    }
    expect(next).not.toBe(sentence);
  });

  it('S2-30 gives no two codes the same sentence', () => {
    const sentences = Object.values(ERROR_MESSAGES).map((message) => message.sentence);
    expect(new Set(sentences).size).toBe(sentences.length);
  });

  it('falls back to INTERNAL for a code of another version', () => {
    expect(errorMessage('FROM_THE_FUTURE')).toBe(ERROR_MESSAGES.INTERNAL);
    expect(errorMessage('DISK_FULL')).toBe(ERROR_MESSAGES.DISK_FULL);
  });
});
