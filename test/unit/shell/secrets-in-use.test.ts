import { describe, expect, it } from 'vitest';
import { createSecretsInUse } from '../../../electron/adapters/secrets/secrets-in-use';
import { createRedactor } from '../../../shared/redact';
import type { Settings } from '../../../shared/settings';

function inUse(settings: Record<string, unknown>, own: Record<string, string>, login = {}) {
  const redactor = createRedactor();
  const find = createSecretsInUse({
    settings: {
      all: () => settings as unknown as Settings,
      written: () => undefined,
      onChange: () => () => undefined,
    },
    own,
    redactor,
  });
  const { has } = find(login);
  return { has, redactor, settings, find };
}
const provider = (name: string) => ({ providers: { p: { api_key_env: name } } });

describe('K6 variables that hold what a setting uses as a secret', () => {
  const word = 'orchid-5f1c77aa';
  const { has, redactor } = inUse(provider('WORD'), { WORD: word });

  it.each([
    ['WORD', 'anything'],
    ['word', 'anything'],
    ['WORD_OLD', 'anything'],
    ['OTHER', word],
    ['OTHER', ` ${word}\n`],
    ['ADDRESS', `https://example.com/${word}/x`],
    ['CODED', Buffer.from(`{"a":"${word}"}`).toString('base64')],
    ['IN_HEX', Buffer.from(word).toString('hex')],
  ])('K6 %s=%s is withheld', (name, value) => expect(has(name, value)).toBe(true));

  it.each([
    ['PATH', '/usr/bin:/home/orchid/bin'],
    ['NODE_ENV', 'production'],
    ['EDITOR', 'vim'],
    ['SWORD', 'plain'],
    ['WORDS', 'plain'],
  ])('K6 %s=%s is not', (name, value) => expect(has(name, value)).toBe(false));

  it('K6 the redactor knows its value before any program was started', () => {
    expect(redactor.redactText(`it was ${word}`)).toBe('it was [redacted]');
  });

  it('K6 a value that the login shell alone has is known, too', () => {
    const known = inUse(provider('WORD'), {}, { WORD: word });
    expect(known.has('COPY', word)).toBe(true);
  });

  it.each(['test', 'ollama', 'none', '1234'])(
    'K6 with the common word %s as a key, other variables of that value stay',
    (common) => {
      const known = inUse(provider('WORD'), { WORD: common });
      expect(known.has('WORD', common)).toBe(true);
      expect(known.has('NODE_ENV', common)).toBe(false);
      expect(known.has('PATH', `/opt/${common}/bin`)).toBe(false);
    },
  );

  it('K6 what is handed to one recipient is withheld from others by name, and by value where it looks random', () => {
    const handed = { agents: { a: { env: ['GIVEN', 'MODE', 'EDITOR', 'JAVA_HOME', 'COUNT'] } } };
    const { has: isWithheld } = inUse(handed, {
      GIVEN: word,
      MODE: 'production',
      EDITOR: 'vim',
      JAVA_HOME: '/usr/lib/jvm',
      COUNT: '12',
    });
    expect(isWithheld('GIVEN', word)).toBe(true);
    expect(isWithheld('COPY', word)).toBe(true);
    expect(isWithheld('MODE', 'production')).toBe(true);
    expect(isWithheld('NODE_ENV', 'production')).toBe(false);
    expect(isWithheld('EDITOR', 'vim')).toBe(false);
    expect(isWithheld('JAVA_HOME', '/usr/lib/jvm')).toBe(false);
    expect(isWithheld('COUNT', '12')).toBe(false);
  });

  it('K6 a name that was one since the start stays one', () => {
    const own = { WORD: word, NEXT: 'tulip-99ab31ce' };
    const known = inUse(provider('WORD'), own);
    Object.assign(known.settings, provider('NEXT'));
    const later = known.find(undefined);
    for (const [name, value] of Object.entries(own)) {
      expect(later.has(name, value)).toBe(true);
      expect(later.has('COPY', value)).toBe(true);
    }
  });
});
