import { describe, expect, it } from 'vitest';
import { modelsIn } from '../../../electron/adapters/providers/model-list';

describe('the list of models of a provider', () => {
  it('is read in all three dialects, sorted, each model once', () => {
    expect(modelsIn('{"data":[{"id":"b"},{"id":"a"},{"id":"b"}]}')).toEqual([
      { id: 'a' },
      { id: 'b' },
    ]);
    expect(
      modelsIn(
        JSON.stringify({
          models: [
            { name: 'models/gemini-x', supportedGenerationMethods: ['generateContent'] },
            { name: 'models/embedding-x', supportedGenerationMethods: ['embedContent'] },
          ],
        }),
      ),
    ).toEqual([{ id: 'gemini-x' }]);
  });

  it('has the prices that the provider names, per million tokens, and none that it does not', () => {
    const data = [
      { id: 'a', pricing: { prompt: '0.000003', completion: '0.000015' } },
      { id: 'b', pricing: { prompt: '-1', completion: '0.1' } },
      { id: 'c', pricing: { prompt: 'free' } },
    ];
    expect(modelsIn(JSON.stringify({ data }))).toEqual([
      { id: 'a', inputUsd: 3, outputUsd: 15 },
      { id: 'b' },
      { id: 'c' },
    ]);
  });

  it('is none where the answer is something else, and leaves out what is no model', () => {
    for (const body of ['', '<html>', 'null', '[]', '{"data":{}}'])
      expect(modelsIn(body)).toBeUndefined();
    const data = [null, 5, {}, { id: 7 }, { id: 'x'.repeat(201) }, { id: 'ok' }];
    expect(modelsIn(JSON.stringify({ data }))).toEqual([{ id: 'ok' }]);
    const many = Array.from({ length: 5000 }, (_, at) => ({ id: `m${String(at)}` }));
    expect(modelsIn(JSON.stringify({ data: many }))).toHaveLength(1000);
  });
});
