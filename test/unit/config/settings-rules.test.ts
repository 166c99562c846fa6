import { describe, expect, it } from 'vitest';
import { checkValue } from '../../../electron/adapters/config/explain-value';
import {
  nearestKey,
  readEnvironment,
  readOverrides,
  readSettings,
  SETTING_KEYS,
  writeSetting,
} from '../../../electron/adapters/config/settings-rules';
import type { SettingKey } from '../../../shared/settings';
import { canonicalKey, SETTINGS, settingFromText } from '../../../shared/settings';

const read = (value: unknown) => {
  const reading = readSettings(JSON.stringify(value, null, 2), 'config.json');
  if (reading.kind !== 'read') throw new Error(reading.reason);
  return reading;
};

describe('checkValue', () => {
  it.each<[SettingKey, unknown, string]>([
    [
      'resilience.recovery.mode',
      'maybe',
      'resilience.recovery.mode must be one of safe_only, always, never; "maybe" is not',
    ],
    [
      'resilience.recovery.mode',
      3,
      'resilience.recovery.mode must be one of safe_only, always, never; 3 is not',
    ],
    [
      'resilience.recovery.max_attempts',
      '3',
      'resilience.recovery.max_attempts must be a whole number from 1 to 100; "3" is not (it is text; leave out the quotes)',
    ],
    ['resilience.recovery.max_attempts', 0, 'must be a whole number from 1 to 100; 0 is not'],
    ['resilience.recovery.max_attempts', -1, 'must be a whole number from 1 to 100; -1 is not'],
    ['resilience.recovery.max_attempts', 2.5, 'must be a whole number from 1 to 100; 2.5 is not'],
    [
      'limits.turn_cost_usd',
      -1,
      'limits.turn_cost_usd must be a number from 0 to 100000; -1 is not',
    ],
    [
      'resilience.recovery.max_age',
      'soon',
      'resilience.recovery.max_age: "soon" is not a duration; write for example "90s" or "1h"',
    ],
    [
      'resilience.recovery.max_age',
      -5,
      'resilience.recovery.max_age: -5 is not a whole number of milliseconds',
    ],
    [
      'resilience.recovery.max_age',
      true,
      'resilience.recovery.max_age: a duration is text such as "90s"',
    ],
    ['app.close_to_tray', 'yes', 'app.close_to_tray must be true or false; "yes" is not'],
    ['resilience.recovery.side_effect_tools', 'mail', 'must be a list: ["a", "b"]; "mail" is not'],
    [
      'resilience.recovery.side_effect_tools',
      ['a', 3],
      'resilience.recovery.side_effect_tools.1 must be text; 3 is not',
    ],
    [
      'skill_resume.default',
      'maybe',
      'skill_resume.default must be one of retry, skip, discard_skill, prompt; "maybe" is not',
    ],
    [
      'skill_resume.per_skill',
      { mail: 'no' },
      'skill_resume.per_skill.mail must be one of retry, skip, discard_skill, prompt; "no" is not',
    ],
    [
      'providers',
      { main: { kind: 'openai' } },
      'providers.main.kind must be one of openai-compatible, anthropic, google; the value is not',
    ],
    [
      'providers',
      { 'a b': { kind: 'google' } },
      '"a b" cannot be a name in providers: use letters, digits',
    ],
    [
      'providers',
      { main: { kind: 'google', base_url: 'http://example.com/v1' } },
      'providers.main.base_url: use https, or http on this computer',
    ],
    [
      'providers',
      { main: { kind: 'google', base_url: 'https://u:p@example.com' } },
      'no user name or password in the address',
    ],
    ['providers', { main: { kind: 'google', base_url: 'javascript:alert(1)' } }, 'use https'],
    [
      'providers',
      { main: { kind: 'google', base_url: 'http://127.0.0.1.example.com' } },
      'use https',
    ],
    [
      'agents',
      { a: { provider: 'main', model: 'm' } },
      'agents.a.workspace is missing; it must be text',
    ],
  ])('S0-02 S0-36 refuses %s = %j and says what is allowed', (key, value, sentence) => {
    const checked = checkValue(key, value);
    expect(checked.ok).toBe(false);
    expect(!checked.ok && checked.sentence).toContain(sentence);
  });

  it.each<[SettingKey, unknown]>([
    ['resilience.recovery.max_age', '1h'],
    ['resilience.recovery.max_age', '90m'],
    ['resilience.recovery.max_age', 'every 1h'],
    ['resilience.recovery.max_age', 3_600_000],
    ['skill_resume.default', 'prompt'],
    ['providers', { main: { kind: 'openai-compatible', base_url: 'http://localhost:11434/v1' } }],
    ['providers', { main: { kind: 'openai-compatible', base_url: 'http://[::1]:1/v1' } }],
    ['providers', { main: { kind: 'openai-compatible', base_url: 'https://api.example.com/v1' } }],
  ])('S0-21 accepts %s = %j', (key, value) => {
    expect(checkValue(key, value)).toEqual({ ok: true, value });
  });

  it('S0-02 accepts the default of every key', () => {
    for (const key of SETTING_KEYS) {
      expect(checkValue(key, SETTINGS[key].default)).toMatchObject({ ok: true });
    }
  });

  it('S2-30 repeats no key that was pasted into the file, wherever it stands', () => {
    const secret = 'canary-0123456789abcdef';
    const values: [SettingKey, unknown][] = [
      ['providers', { main: { kind: 'google', api_key: secret } }],
      ['providers', { main: secret }],
      ['providers', secret],
      ['providers', { main: { kind: secret } }],
      ['agents', { main: { provider: { key: secret } } }],
      ['app.theme', `sk-${secret}`],
      ['resilience.recovery.max_age', `sk-${secret}`],
    ];
    for (const [key, value] of values) {
      const checked = checkValue(key, value);
      if (checked.ok) throw new Error(`${key} was accepted`);
      expect(checked.sentence).not.toContain('0123456789');
    }
    const pasted = checkValue('providers', { main: { kind: 'google', api_key: secret } });
    expect(!pasted.ok && pasted.sentence).toContain('enter the API key under Providers');
  });
});

describe('readSettings', () => {
  it('S0-07 reads the recovery block of the documents, names with case and prefix as they are', () => {
    const tools = ['send_email', 'Calendar.Create', 'github.create_issue'];
    const { values, bad, hints } = read({
      resilience: { recovery: { mode: 'safe_only', side_effect_tools: tools } },
    });
    expect(values.get('resilience.recovery.mode')).toBe('safe_only');
    expect(values.get('resilience.recovery.side_effect_tools')).toEqual(tools);
    expect(bad.size + hints.length).toBe(0);
  });

  it('S0-07 counts a name that is listed twice once, with a hint', () => {
    const { values, hints } = read({
      resilience: { recovery: { side_effect_tools: ['mail', 'Mail', 'mail'] } },
    });
    expect(values.get('resilience.recovery.side_effect_tools')).toEqual(['mail', 'Mail']);
    expect(hints).toEqual([
      {
        key: 'resilience.recovery.side_effect_tools',
        line: 4,
        message:
          'config.json, line 4: resilience.recovery.side_effect_tools names mail more than once; it counts once.',
        level: 'hint',
      },
    ]);
  });

  it('S0-02 takes every good key when one is bad, with the line of the bad one', () => {
    const { values, bad } = read({
      resilience: { recovery: { max_age: 'soon', mode: 'always' } },
      limits: { turn_steps: 7 },
    });
    expect(values.get('resilience.recovery.mode')).toBe('always');
    expect(values.get('limits.turn_steps')).toBe(7);
    expect([...bad.keys()]).toEqual(['resilience.recovery.max_age']);
    expect(bad.get('resilience.recovery.max_age')?.line).toBe(4);
  });

  it('S0-02 names an unknown key with its line and the nearest known one, and keeps it', () => {
    const { hints, tree } = read({
      resilience: { recovery: { mod: 'always' } },
      mine: { note: 1 },
    });
    expect(hints.map((hint) => [hint.line, hint.key])).toEqual([
      [4, 'resilience.recovery.mod'],
      [7, 'mine'],
    ]);
    expect(hints[0]?.message).toBe(
      'config.json, line 4: there is no setting called "resilience.recovery.mod"; it is ignored. Did you mean resilience.recovery.mode?',
    );
    expect(hints[1]?.message).not.toContain('Did you mean');
    expect(tree['mine']).toEqual({ note: 1 });
  });

  it('S0-02 reports a section that is no object once per key and blocks writing under it', () => {
    const { bad, values } = read({ resilience: 'yes', log: { level: 'warn' } });
    expect(values.get('log.level')).toBe('warn');
    expect([...bad.keys()].every((key) => key.startsWith('resilience.'))).toBe(true);
    expect(bad.get('resilience.recovery.mode')).toEqual({
      sentence: 'resilience must be an object: { … }',
      isBlocked: true,
      line: 2,
    });
  });

  it('X-06 accepts the short form and the dotted form; the nested one wins', () => {
    expect(read({ recovery: { max_age: '2h' } }).values.get('resilience.recovery.max_age')).toBe(
      '2h',
    );
    expect(read({ 'recovery.max_age': '2h' }).values.get('resilience.recovery.max_age')).toBe('2h');
    expect(read({ 'limits.turn_steps': 5 }).values.get('limits.turn_steps')).toBe(5);
    const both = read({
      recovery: { max_age: '2h' },
      resilience: { recovery: { max_age: '3h' } },
    });
    expect(both.values.get('resilience.recovery.max_age')).toBe('3h');
    expect(both.hints.map((hint) => hint.key)).toEqual(['recovery.max_age']);
    expect(read({ recovery: { max_age: '2h' } }).hints).toEqual([]);
    expect(canonicalKey('recovery.gate_all_side_effects')).toBe(
      'resilience.recovery.gate_all_side_effects',
    );
    expect(canonicalKey('recovery')).toBeUndefined();
  });

  it('S1-33 refuses a file that is a list or a word, as a whole', () => {
    expect(readSettings('[]', 'config.json')).toMatchObject({ kind: 'unreadable', line: 1 });
    expect(readSettings('"hello"', 'config.json')).toMatchObject({ kind: 'unreadable', line: 1 });
  });

  it('bounds the hints at 50 for a file that is not ours', () => {
    const strange = Object.fromEntries(
      Array.from({ length: 500 }, (_, n) => [`strange${String(n)}`, n]),
    );
    expect(read(strange).hints).toHaveLength(50);
  });
});

describe('writeSetting', () => {
  it('S0-02 changes one value in place and keeps everything else, known or not', () => {
    const tree = { mine: 1, log: { level: 'info', extra: true }, app: { theme: 'dark' } };
    const written = writeSetting(tree, 'log.level', 'debug');
    expect(JSON.stringify(written)).toBe(
      '{"mine":1,"log":{"level":"debug","extra":true},"app":{"theme":"dark"}}',
    );
    expect(tree.log.level).toBe('info');
  });

  it('X-06 replaces another spelling of the same key', () => {
    const written = writeSetting(
      { recovery: { max_age: '2h', mode: 'never' }, 'recovery.max_age': '4h' },
      'resilience.recovery.max_age',
      '3h',
    );
    expect(written).toEqual({
      recovery: { mode: 'never' },
      resilience: { recovery: { max_age: '3h' } },
    });
  });

  it('takes a key out, with the sections that it leaves empty', () => {
    const tree = { resilience: { recovery: { mode: 'never' } }, app: {} };
    expect(writeSetting(tree, 'resilience.recovery.mode', undefined)).toEqual({ app: {} });
  });
});

describe('outside sources', () => {
  it('reads HOLDFAST_CONFIG__… in any case, as JSON where the key takes it so, else as text', () => {
    const { values, problems } = readEnvironment({
      HOLDFAST_CONFIG__resilience__recovery__mode: 'always',
      HOLDFAST_CONFIG__LIMITS__TURN_STEPS: '50',
      HOLDFAST_CONFIG__channels__default: '123',
      HOLDFAST_CONFIG__recovery__side_effect_tools: '["mail"]',
      HOLDFAST_CONFIG__app__theme: '"dark"',
      HOLDFAST_CONFIG__log__level: '',
      HOLDFAST_HOME: '/x',
    });
    expect(problems).toEqual([]);
    expect(Object.fromEntries(values)).toEqual({
      'resilience.recovery.mode': 'always',
      'limits.turn_steps': 50,
      'channels.default': '123',
      'resilience.recovery.side_effect_tools': ['mail'],
      'app.theme': 'dark',
    });
  });

  it('S0-02 ignores a bad one and names the variable, never more', () => {
    const { values, problems } = readEnvironment({
      HOLDFAST_CONFIG__log__level: 'loud',
      HOLDFAST_CONFIG__log__levels: 'info',
    });
    expect(values.size).toBe(0);
    expect(problems.map((problem) => problem.message)).toEqual([
      'HOLDFAST_CONFIG__log__level: log.level must be one of debug, info, warn, error; "loud" is not. It is ignored.',
      'HOLDFAST_CONFIG__log__levels: there is no such setting; it has no effect. Did you mean log.level?',
    ]);
  });

  it('reads overrides of the command line by key', () => {
    const { values, problems } = readOverrides({ 'log.level': 'debug', 'limits.turn_steps': 'x' });
    expect(Object.fromEntries(values)).toEqual({ 'log.level': 'debug' });
    expect(problems[0]?.message).toContain('limits.turn_steps on the command line');
  });

  it('S0-02 reads text as the command line gives it', () => {
    expect(settingFromText('limits.turn_steps', '50')).toBe(50);
    expect(settingFromText('limits.turn_steps', '"50"')).toBe('50');
    expect(settingFromText('app.theme', 'dark')).toBe('dark');
    expect(settingFromText('channels.default', 'true')).toBe('true');
    expect(settingFromText('resilience.recovery.max_age', '90s')).toBe('90s');
  });
});

describe('nearestKey', () => {
  it.each([
    ['resilience.recovery.mod', 'resilience.recovery.mode'],
    ['recovery.modes', 'resilience.recovery.mode'],
    ['log.levle', 'log.level'],
    ['limit.turn_steps', 'limits.turn_steps'],
    ['Providers', 'providers'],
    ['favourite_colour', undefined],
    ['x', undefined],
  ])('S0-02 for %s is %s', (name, near) => {
    expect(nearestKey(name)).toBe(near);
  });
});
