import type { Metric, Registry } from 'prom-client';
import type { Family } from './metric-families';

/** The families as a scrape reads them. The library is loaded with the first one. */
export async function metricsText(
  families: readonly Family[],
): Promise<{ readonly contentType: string; readonly body: string }> {
  const { Registry: Text } = (await import('prom-client')).default;
  const registry: Registry = new Text();
  for (const family of families) {
    // The numbers are counted elsewhere: the library only writes them, escaped.
    const metric = { ...family, aggregator: 'sum', get: () => Promise.resolve(family) };
    registry.registerMetric(metric as unknown as Metric);
  }
  return { contentType: registry.contentType, body: await registry.metrics() };
}
