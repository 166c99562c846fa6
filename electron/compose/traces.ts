import type { JournalEntry } from '../ports/journal/entries';
import type { StepRow } from '../ports/journal/rows';
import type { Traces } from '../engine/traces/traces';
import type { Core } from './core';

const loadCode = () => import('./load-traces');

/** Of one text; the rest is not sent. */
const MOST_CHARS = 16_000;
/** How long a stop waits for a collector. */
const LAST_MS = 1_500;

export interface TracesPart {
  /** Sends what is there; a stop does not wait for a collector that is away. */
  stop(): Promise<void>;
}

/** Follows the journal where an address of a collector is set; loads nothing elsewhere. OT-01 */
export function createTracesPart(core: Core): TracesPart {
  const { settings } = core;
  const { journal } = core.disk;
  const { clock } = core.world;
  let loading: Promise<Traces> | undefined;
  const endpoint = (): string => settings.get('observability.traces_endpoint');
  const take = (entries: readonly JournalEntry[]): void => {
    if (endpoint() === '' || !core.life.isRunning()) return;
    loading ??= load(core, endpoint);
    void loading.then((traces) => {
      traces.take(entries);
    });
  };
  journal.onCommitted(take);
  return {
    async stop() {
      const traces = await loading;
      if (traces === undefined || endpoint() === '') return;
      await Promise.race([traces.flush().catch(() => undefined), clock.sleep(LAST_MS)]);
    },
  };
}

async function load(core: Core, endpoint: () => string): Promise<Traces> {
  const code = await loadCode();
  const { settings } = core;
  const { reads, blobs } = core.disk;
  const { log } = core.records;
  const { redactor } = core.secrets;
  const { clock } = core.world;
  const isTextSent = (): boolean => settings.get('observability.traces_text');
  const shown = (text: string): string => redactor.redactText(text.slice(0, MOST_CHARS));
  const outsideCalls = (turnId: number) => reads.outsideCalls(turnId);
  const headers = code.headersOf(core.world.ownEnvironment['OTEL_EXPORTER_OTLP_HEADERS']);
  for (const value of Object.values(headers)) redactor.learn(value);
  const textsOf = async (step: StepRow, steps: readonly StepRow[]) => ({
    input: shown(await code.argumentsOf({ blobs, outsideCalls }, steps, step)),
    output: shown(await code.resultOf(blobs, step)),
  });
  return code.createTraces({
    ids: code.traceIds(core.world.hasher, reads.databaseId()),
    reads,
    self: { 'service.version': core.version, 'service.instance.id': reads.databaseId() },
    version: core.version,
    nowMs: () => clock.nowMs(),
    texts: {
      turn: async (turn) =>
        isTextSent() ? { input: shown(await code.textOf(blobs, reads.prompt(turn))) } : {},
      step: async (step, steps) => (isTextSent() ? textsOf(step, steps) : {}),
    },
    send: (body) =>
      endpoint() === ''
        ? Promise.resolve()
        : code.sendSpans(endpoint(), headers, body, (why) => {
            log.warn('traces.refused', { why });
          }),
    sleep: (ms) => clock.sleep(ms, core.life.draining).catch(() => undefined),
    onLost: (spans, why) => {
      log.warn('traces.lost', { spans, why });
    },
  });
}
