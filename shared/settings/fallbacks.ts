/** Models that answer in place of another one. FB-01, FB-05 */
import { z } from 'zod';
import { once } from '../once';
import { name } from './base';

/** Most models or agents that one may fall back to. */
export const MAX_FALLBACKS = 10;
const MAX_MODEL = 200;
const modelName = once(() => z.string().min(1).max(MAX_MODEL));

/** Another model by the names of its provider and itself. */
export interface NamedModel {
  readonly provider: string;
  readonly model: string;
}

/** Another model: `provider/model`, or both by name. */
export const modelFallback = once(() =>
  z.union([
    z
      .string()
      .max(MAX_MODEL + 65)
      .regex(
        /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}\/\S+$/,
        'name a provider and a model, such as "openai/gpt-5"',
      ),
    z.strictObject({ provider: name(), model: modelName() }),
  ]),
);

export function namedModel(one: string | NamedModel): NamedModel {
  if (typeof one !== 'string') return one;
  // A model may have a slash in its name, a provider has none.
  const at = one.indexOf('/');
  return { provider: one.slice(0, at), model: one.slice(at + 1) };
}

/** By provider: the models that answer gateway requests in its place, in order. */
export const gatewayFallbacks = once(() =>
  z.record(name(), z.array(modelFallback()).max(MAX_FALLBACKS)).superRefine((all, context) => {
    for (const [own, list] of Object.entries(all)) {
      const names = list.map((one) => namedModel(one).provider);
      const same = names.find((one, at) => one === own || names.indexOf(one) !== at);
      if (same === undefined) continue;
      context.addIssue({
        code: 'custom',
        path: [own],
        message: `the fallbacks of "${own}" use the provider "${same}" twice: an outage or a usage limit of that provider stops all of its models. Add a provider with another key, and use that. Nothing was changed`,
      });
    }
  }),
);

/** The models that may answer in place of a provider. */
export const gatewayFallbacksOf = (
  all: Readonly<Record<string, readonly (string | NamedModel)[]>>,
  provider: string,
): readonly NamedModel[] =>
  (Object.hasOwn(all, provider) ? (all[provider] ?? []) : []).map(namedModel);
