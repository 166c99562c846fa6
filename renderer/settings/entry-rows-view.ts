/** Settings with a value for each name: what a row shows, and the value that it writes. Pure. */

type Values = Readonly<Record<string, unknown>>;

export const valuesOf = (value: unknown): Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Values) : {};

/** The names in the order in which they are read. */
export const namesOf = (value: unknown): readonly string[] =>
  Object.keys(valuesOf(value)).toSorted((a, b) => a.localeCompare(b));

/** The same value with one name set, or taken out. */
export function withEntry(value: unknown, name: string, given: unknown): Record<string, unknown> {
  const rest = Object.entries(valuesOf(value)).filter(([known]) => known !== name);
  return Object.fromEntries(given === undefined ? rest : [...rest, [name, given]]);
}

/** `provider/model`, as it is typed. */
const modelText = (one: unknown): string => {
  if (typeof one === 'string') return one;
  const { provider, model } = valuesOf(one);
  return `${String(provider)}/${String(model)}`;
};

export const modelTexts = (list: unknown): readonly string[] =>
  Array.isArray(list) ? list.map(modelText) : [];

/** Those that were there stay as they are written in the file. */
export const modelsOf = (texts: readonly string[], list: unknown): readonly unknown[] =>
  texts.map((text) =>
    Array.isArray(list)
      ? ((list as unknown[]).find((one) => modelText(one) === text) ?? text)
      : text,
  );
