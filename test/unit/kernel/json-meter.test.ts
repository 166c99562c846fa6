import { describe, expect, it } from 'vitest';
import { createJsonMeter } from '../../../electron/engine/kernel/json-meter';

/** How many values are counted, found by the largest bound that is exceeded. */
const isAbove = (text: string, maxValues: number): boolean => {
  const asText = createJsonMeter(maxValues).isAbove(text);
  const pieces = createJsonMeter(maxValues);
  let inBytes = false;
  for (const byte of Buffer.from(text)) inBytes = pieces.isAbove(Buffer.from([byte]));
  expect(inBytes).toBe(asText);
  return asText;
};

describe('the number of values in a text', () => {
  it.each([
    ['a list of 4', '[1,2,3,4]', 4],
    ['lists in lists', '[[[[]]]]', 4],
    ['a map of 2', '{"a":1,"b":2}', 2],
    ['commas and brackets in a text', '{"a":"[,{,[,{,"}', 1],
    ['an escaped quote', '{"a":"\\",\\\\\\",[[[["}', 1],
    ['a text that ends with a backslash', '{"a":"\\\\","b":[1,2]}', 4],
    ['other alphabets', '{"ключ":"значение,[{"}', 1],
    ['no JSON at all', 'hello, [world', 2],
  ])('T6 counts %s, in one piece and byte by byte', (_name, text, values) => {
    expect(isAbove(text, values)).toBe(false);
    expect(isAbove(text, values - 1)).toBe(true);
  });

  it('T6 begins again after a reset, also in the middle of a text', () => {
    const meter = createJsonMeter(2);
    expect(meter.isAbove('{"a":"\\')).toBe(false);
    meter.reset();
    expect(meter.isAbove('[1,2]')).toBe(false);
    expect(meter.isAbove(',3')).toBe(true);
  });
});
