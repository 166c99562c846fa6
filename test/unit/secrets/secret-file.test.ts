import { describe, expect, it } from 'vitest';
import {
  lastFour,
  parseStoredSecret,
  secretFileName,
} from '../../../electron/adapters/secrets/secret-file';

describe('stored secret', () => {
  it('K3 shows the last 4 characters of a key of at least 16, of no shorter one', () => {
    expect(lastFour('sk-0123456789abcd')).toBe('abcd');
    expect(lastFour('0123456789abcde')).toBeUndefined();
    expect(lastFour('0123456789abcdef\u202e')).toBeUndefined();
  });

  it('T5 gives every name a file of its own inside the folder, also without case', () => {
    const names = [
      'main',
      'Main',
      'MAIN',
      'a.b',
      'a-b',
      'a_b',
      'a%2eb',
      '../../etc/passwd',
      'con',
      'ä',
      '.',
      '..',
    ];
    const files = names.map(secretFileName);
    expect(new Set(files.map((name) => name.toLowerCase())).size).toBe(names.length);
    for (const name of files) expect(name).toMatch(/^[a-z0-9_%-]+\.json$/);
  });

  const stored = { version: 1, name: 'main', storage: 'plaintext-consented', data: 'key' };
  it.each([
    ['not JSON', '{'],
    ['another version', JSON.stringify({ ...stored, version: 2 })],
    ['the name of another provider', JSON.stringify({ ...stored, name: 'other' })],
    ['an unknown storage', JSON.stringify({ ...stored, storage: 'rot13' })],
    ['an unknown field', JSON.stringify({ ...stored, extra: 1 })],
    ['a list', '[]'],
    ['null', 'null'],
  ])('T5 does not take %s for a stored key', (_what, text) => {
    expect(parseStoredSecret(text, 'main')).toBeUndefined();
    expect(parseStoredSecret(JSON.stringify(stored), 'main')).toEqual(stored);
  });
});
