/** What commands do themselves without a running engine; each loads its code on first use. */
import type { Offline } from '../cli/io';

export const offline: Offline = {
  openReadOnly: async (...given) => (await import('./open-data')).openReadOnly(...given),
  openForDecision: async (dataDir) => (await import('./open-data')).openForDecision(dataDir),
  resetData: async (dataDir) => (await import('./reset-data')).resetData(dataDir),
  removeData: async (...given) => (await import('./remove-data')).removeData(...given),
  exportData: async (...given) => (await import('./data-archive')).exportData(...given),
  importData: async (...given) => (await import('./data-archive')).unpackData(...given),
  programEnvironment: async (...given) =>
    (await import('./program-environment')).programEnvironment(...given),
  applyUpdate: async (options) => (await import('./apply-update')).applyUpdate(options),
  trySchedule: async (...given) => (await import('./dry-run')).trySchedule(...given),
  tryGuard: async (...given) => (await import('./dry-run')).tryGuard(...given),
};
