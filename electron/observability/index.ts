export { createMetricsServer } from './observatory';
export type { MetricsServer, MetricsServerDeps, WatchPorts } from './observatory';
