import { describe, expect, it } from 'vitest';
import {
  aboutBeside,
  choiceLabel,
  POLICIES,
  findSettings,
  TOOL_RULES,
  namedChoices,
  problemParts,
  ruleProposals,
  withChoice,
  isNews,
} from '../../../renderer/settings/settings-view';
import { OWN_PARTS, SECTIONS, sectionKeys } from '../../../renderer/settings/setting-groups';
import { CATALOGUE } from '../../../shared/messages';
import { SETTINGS } from '../../../shared/settings';
import { createSeed } from '../../helpers/fake-seed';

const entries = createSeed(Date.UTC(2026, 2, 24, 14, 31)).config.entries;
const shown: string[] = [
  ...Object.keys(OWN_PARTS),
  ...SECTIONS.flatMap((section) => sectionKeys(section)),
];

describe('the settings window', () => {
  it('S0-36 shows each key of the registry, each once', () => {
    expect(shown.toSorted()).toEqual(Object.keys(SETTINGS).toSorted());
  });

  it.each(Object.keys(SETTINGS))('names %s in words and finds it by its key', (key) => {
    expect(CATALOGUE).toHaveProperty([`setting.${key}`]);
    expect(findSettings(key, entries).map((hit) => hit.key)).toContain(key);
  });

  it('S0-02 has a word for every choice of every key', () => {
    const wordless = Object.entries(SETTINGS).flatMap(([key, { schema }]) =>
      ('options' in schema ? (schema.options as readonly unknown[]) : [])
        .filter((choice) => typeof choice === 'string')
        .filter((choice) =>
          key === 'resilience.recovery.mode'
            ? !Object.hasOwn(CATALOGUE, `mode.${choice}`)
            : choiceLabel(key, choice) === choice,
        )
        .map((choice) => `${key}: ${choice}`),
    );
    expect(wordless).toEqual([]);
  });

  it('finds by all words, in any order, and nothing for nonsense', () => {
    expect(findSettings('turn cost', entries).map((hit) => hit.key)).toEqual([
      'limits.turn_cost_usd',
    ]);
    expect(findSettings('cost turn', entries)).toEqual(findSettings('turn cost', entries));
    expect(findSettings('zebra', entries)).toEqual([]);
    expect(findSettings('  ', entries)).toEqual([]);
  });
});

describe('the rules of single tools', () => {
  it('offers exactly what the setting accepts, and a word for each', () => {
    const schema = SETTINGS['approvals.tools'].schema;
    for (const rule of TOOL_RULES) {
      expect(schema.safeParse({ shell: rule }).success).toBe(true);
      expect(CATALOGUE).toHaveProperty([`toolRules.${rule}`]);
    }
    expect(schema.safeParse({ shell: 'sometimes' }).success).toBe(false);
  });

  it('S3-06 sets one and takes one out, leaves the others, and drops what is no rule', () => {
    const value = { shell: 'ask', 'mail.*': 'deny', odd: 'maybe' };
    expect(namedChoices(value, TOOL_RULES)).toEqual([
      { name: 'mail.*', choice: 'deny' },
      { name: 'shell', choice: 'ask' },
    ]);
    expect(withChoice(value, TOOL_RULES, 'fetch', 'allow')).toEqual({
      'mail.*': 'deny',
      shell: 'ask',
      fetch: 'allow',
    });
    expect(withChoice(value, TOOL_RULES, 'shell', undefined)).toEqual({ 'mail.*': 'deny' });
    expect(namedChoices(['a'], TOOL_RULES)).toEqual([]);
  });

  it('S3-06 proposes known tools that have no rule, those that change something first', () => {
    const tool = (host: string, name: string, purity: 'world' | 'side_effect') => ({
      host,
      name,
      purity,
      about: '',
      isListed: false,
      listedAs: [],
      afterCrash: 'run_again' as const,
      isProposed: false,
    });
    const tools = [
      tool('files', 'read_file', 'world'),
      tool('files', 'write_file', 'side_effect'),
      tool('shell', 'shell', 'side_effect'),
      tool('shell', 'shell:effects', 'side_effect'),
      tool('mail', 'mail.send', 'side_effect'),
    ];
    expect(ruleProposals(tools, { write_file: 'ask' })).toEqual([
      'shell',
      'shell:effects',
      'mail.send',
      'read_file',
    ]);
  });
});

describe('the policies of single skills', () => {
  it('offers exactly what the setting accepts', () => {
    const schema = SETTINGS['skill_resume.per_skill'].schema;
    for (const policy of POLICIES) expect(schema.safeParse({ mail: policy }).success).toBe(true);
    expect(schema.safeParse({ mail: 'sometimes' }).success).toBe(false);
    expect(SETTINGS['skill_resume.default'].schema.options).toEqual([...POLICIES]);
  });

  it.each([
    [{ b: 'skip', a: 'retry' }, ['a', 'b']],
    [{ a: 'unknown' }, []],
    [null, []],
    [['a'], []],
    ['text', []],
  ])('reads %j', (value, skills) => {
    expect(namedChoices(value, POLICIES).map((row) => row.name)).toEqual(skills);
  });

  it('sets one and takes one out, and leaves the others', () => {
    expect(withChoice({ a: 'retry', b: 'skip' }, POLICIES, 'a', 'prompt')).toEqual({
      b: 'skip',
      a: 'prompt',
    });
    expect(withChoice({ a: 'retry', b: 'skip' }, POLICIES, 'a', undefined)).toEqual({ b: 'skip' });
    expect(withChoice({}, POLICIES, 'new', 'discard_skill')).toEqual({ new: 'discard_skill' });
  });
});

describe('the sentence beside a label', () => {
  it.each([
    [
      'Time zone of new tasks',
      'Time zone of new tasks; empty: the computer',
      'Empty: the computer',
    ],
    ['Time between runs', 'Time between runs', ''],
    ['Turns wait', 'Turns waiting are counted', 'Turns waiting are counted'],
    ['How often', 'How often: an interval', 'An interval'],
    ['Mode', 'What to do', 'What to do'],
    // The same in other words is not said twice; a condition is.
    ['Longest shell command', 'Shell command timeout', ''],
    ['Start hidden', 'Start hidden; off: with a window', 'Off: with a window'],
    ['Longest wait', 'Longest wait of a call (5xx)', 'Longest wait of a call (5xx)'],
  ])('S2-49 under "%s" the text "%s" says "%s"', (label, about, said) => {
    expect(aboutBeside(label, about)).toBe(said);
  });
});

describe('a problem of the settings', () => {
  const rule = (message: string, more: { line?: number; key?: string } = {}) =>
    problemParts({ message, ...more }, 'config.json');

  it.each([
    [
      'the file, line and key once, though the message has them, too',
      rule('config.json, line 14: there is no setting called "a.b"; it has no effect.', {
        line: 14,
        key: 'a.b',
      }),
      ['config.json, line 14', '', 'there is no setting called "a.b"; it has no effect.'],
    ],
    [
      'a line that only the facts name',
      rule('"soon" is not a duration.', { line: 14, key: 'limits.turn_time' }),
      ['config.json, line 14', 'limits.turn_time', '"soon" is not a duration.'],
    ],
    [
      'the file alone',
      rule('config.json: it is not a file. The defaults are in force.'),
      ['config.json', '', 'it is not a file. The defaults are in force.'],
    ],
    [
      'no file for a value that the environment gave',
      rule('HOLDFAST_CONFIG__x is not a setting.'),
      ['', '', 'HOLDFAST_CONFIG__x is not a setting.'],
    ],
  ])('S0-02 says %s', (_what, { place, key, sentence }, wanted) => {
    expect([place, key, sentence]).toEqual(wanted);
  });
});

describe('a value that is written one entry at a time', () => {
  it.each([
    ['what the page started from, while its writes are under way', { a: 1 }, false],
    ['a write before the last', { a: 1, b: 2 }, false],
    ['the last write', { b: 2 }, true],
    ['what somebody else wrote', { c: 3 }, true],
  ])('is taken from the page or from what was written: %s', (_what, value, expected) => {
    const written = [{ a: 1 }, { a: 1, b: 2 }, { b: 2 }].map((one) => JSON.stringify(one));
    expect(isNews(value, written)).toBe(expected);
  });
});
