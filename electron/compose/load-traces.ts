/** The code of traces: loaded where an address for them is set. W4 */
export { headersOf, sendSpans } from '../adapters/traces/otlp-http';
export { answerOf, textOf } from '../engine/journal/stored-text';
export { argumentsOf } from '../engine/recovery/decisions';
export { resultOf } from '../engine/status/views';
export { traceIds } from '../engine/traces/trace-spans';
export { createTraces } from '../engine/traces/traces';
