import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { SETTINGS, type SettingKey } from '../../../shared/settings';
import { settingVariables } from '../../../shared/settings/secret-variables';

interface Definition {
  readonly type: string;
  readonly shape?: Record<string, z.ZodType>;
  readonly innerType?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly element?: z.ZodType;
  readonly options?: readonly z.ZodType[];
}

const takes = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success;
/** Takes the name of a variable and nothing that is none. */
const isVariable = (schema: z.ZodType): boolean =>
  takes(schema, 'SOME_WORD_1') &&
  !['some-word', 'some word', 'a.b', '1A', 'a/b', 'A=B'].some((text) => takes(schema, text));

/** Every place of the settings that takes the name of a variable, as the fields on the way to it. */
function placesOf(schema: z.ZodType, path: readonly string[], depth = 0): string[][] {
  if (depth > 15) return [];
  const { type, shape, innerType, valueType, element, options } =
    schema.def as unknown as Definition;
  const within = (one: z.ZodType | undefined, ...more: string[]): string[][] =>
    one === undefined ? [] : placesOf(one, [...path, ...more], depth + 1);
  if (type === 'string') return isVariable(schema) ? [[...path]] : [];
  return [
    ...Object.entries(shape ?? {}).flatMap(([field, one]) => within(one, field)),
    ...within(innerType),
    ...within(valueType, '{}'),
    ...within(element, '[]'),
    ...(options ?? []).flatMap((one) => within(one)),
  ];
}

const PLACES = (Object.keys(SETTINGS) as SettingKey[]).flatMap((key) =>
  placesOf(SETTINGS[key].schema, [key]),
);

/** Settings that have the name at that place. */
function settingsWith(path: readonly string[], name: string): unknown {
  const [field, ...rest] = path;
  if (field === undefined) return name;
  const inner = settingsWith(rest, name);
  if (field === '[]') return [inner];
  return { [field === '{}' ? 'some' : field]: inner };
}

describe('variables that settings name', () => {
  it('K6 every setting that takes the name of a variable says by the name of its field what it is for', () => {
    expect(PLACES.map((path) => path.join(' '))).toEqual(
      expect.arrayContaining([
        'providers {} api_key_env',
        'channels.own {} secret_env',
        'channels.own {} token_env',
        'nats.credentials_env',
        'mcp.servers {} headers_env {}',
        'mcp.servers {} requires env []',
        'agents {} env []',
      ]),
    );
    const unclear = PLACES.filter((path) => !path.some((field) => /(?:^|[._])env$/.test(field)));
    expect(unclear).toEqual([]);
  });

  it.each(PLACES.map((path) => [path.join(' '), path] as const))(
    'K6 %s is found',
    (_shown, path) => {
      const { secret, handed } = settingVariables(settingsWith(path, 'SOME_WORD_1'));
      const isHanded = path.includes('env');
      expect([...(isHanded ? handed : secret)]).toEqual(['SOME_WORD_1']);
    },
  );

  it('K6 also where an entry is called like such a field, or is wrong otherwise', () => {
    const { secret, handed } = settingVariables({
      providers: { my_env: { api_key_env: 'A_WORD' }, env: { kind: 7, api_key_env: 'B_WORD' } },
      mcp: { servers: { env: { env: { C_WORD: true, D_TEXT: 'plain' } } } },
      later: { some_new_env: 'E_WORD' },
    });
    expect([...secret].sort()).toEqual(['A_WORD', 'B_WORD', 'E_WORD']);
    expect([...handed]).toEqual(['C_WORD']);
  });
});
