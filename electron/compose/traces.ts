import { createLazyTraces, type LazyTraces } from '../engine/traces/lazy-traces';
import type { Traces } from '../engine/traces/traces';
import type { Core } from './core';

export function createTracesPart(core: Core): LazyTraces {
  const endpoint = (): string => core.settings.get('observability.traces_endpoint');
  return createLazyTraces({
    ...core.world,
    ...core.disk,
    ...core.life,
    endpoint,
    load: () => load(core, endpoint),
  });
}

async function load(core: Core, endpoint: () => string): Promise<Traces> {
  const [{ headersOf, sendSpans }, { createSpanTexts }, { traceIds }, { createTraces }] =
    await Promise.all([
      import('../adapters/traces/otlp-http'),
      import('../engine/traces/span-texts'),
      import('../engine/traces/trace-spans'),
      import('../engine/traces/traces'),
    ]);
  const { settings, version } = core;
  const { clock, hasher, ownEnvironment } = core.world;
  const { reads, blobs } = core.disk;
  const { log } = core.records;
  const { redactor } = core.secrets;
  const headers = headersOf(ownEnvironment['OTEL_EXPORTER_OTLP_HEADERS']);
  for (const value of Object.values(headers)) redactor.learn(value);
  return createTraces({
    ids: traceIds(hasher, reads.databaseId()),
    reads,
    self: { 'service.version': version, 'service.instance.id': reads.databaseId() },
    version,
    nowMs: () => clock.nowMs(),
    texts: createSpanTexts({
      reads,
      blobs,
      redactText: (text) => redactor.redactText(text),
      areSent: () => settings.get('observability.traces_text'),
    }),
    async send(body) {
      if (endpoint() === '') return;
      await sendSpans(endpoint(), headers, body, (why) => {
        log.warn('traces.refused', { why });
      });
    },
    sleep: (ms) => clock.sleep(ms, core.life.draining).catch(() => undefined),
    onLost(spans, why) {
      log.warn('traces.lost', { spans, why });
    },
  });
}
