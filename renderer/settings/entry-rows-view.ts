/** Fallbacks of providers: what a row shows, and the value that it writes. Pure. */
import { valuesOf } from '../parts/named-values';

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
