import fs from 'node:fs';
import path from 'node:path';
import { durationMs } from '../../shared/settings';
import { gatewayFallbacksOf } from '../../shared/settings/fallbacks';
import { writePortFile } from '../disk/port-file';
import type { Budgets } from '../engine/budgets/budgets';
import { createGateway, type GatewayRoom } from '../engine/gateway/gateway';
import { turnsOfClients } from '../engine/gateway/turns-of-client';
import type { TurnScheduler } from '../engine/turns/scheduler';
import type { Core } from './core';
import type { Dependencies } from './dependencies';

export function createGatewayPart(
  core: Core,
  rooms: {
    readonly dependencies: Dependencies;
    readonly budgets: Budgets;
    readonly scheduler: Pick<TurnScheduler, 'running'>;
  },
): GatewayRoom {
  const { settings, dataDir } = core;
  const { ports = {} } = core;
  const { dependencies, budgets, scheduler } = rooms;
  const tokenPath = path.join(dataDir, 'gateway.token');
  const cacheDir = path.join(dataDir, 'gateway-answers');
  return createGateway({
    ...core,
    rooms: {
      ...dependencies,
      budgets,
      move: async () => (await import('../engine/fallback/gateway-move')).gatewayMove,
    },
    server: {
      tokenPath,
      async open(queue) {
        const { openGateway } = await import('../adapters/gateway/gateway-server');
        return openGateway({
          ...core,
          port: settings.get('gateway.port'),
          tokenPath,
          clients: () => core.reads.gatewayClients(),
          cacheDir,
          cacheWindowMs: () => durationMs(settings.get('gateway.memo_window')),
          queue,
          providers: () => settings.get('providers'),
          userAgent: `holdfast/${core.version}`,
          turnsOf: turnsOfClients({ ...core, running: () => scheduler.running() }),
          fallbacksOf: (provider) => gatewayFallbacksOf(settings.get('gateway.fallback'), provider),
        });
      },
      publish(port) {
        if (port === undefined) delete ports.gateway;
        else ports.gateway = port;
        return writePortFile(dataDir, 'gateway', port);
      },
      forgetAnswers: () => fs.promises.rm(cacheDir, { recursive: true, force: true }),
      replaceToken: async () =>
        (await import('../adapters/loopback/saved-token')).replaceToken(tokenPath),
    },
    onChange: core.changed,
  });
}
