/** Ports that servers announce in `D/run`, on a real disk. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readOnlyServer } from '../../../electron/adapters/loopback/read-only-server';
import { writePortFile } from '../../../electron/disk/port-file';
import { createGatewayServing } from '../../../electron/engine/gateway/serving';
import { createMetricsServer } from '../../../electron/observability/metrics-server';

let dir: string;
const fileOf = (name: string): string => path.join(dir, 'run', `${name}.port`);
beforeEach(() => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'hf-ports-'));
  fs.mkdirSync(path.join(dir, 'run'));
});
afterEach(() => fs.rmSync(dir, { recursive: true, force: true }));

const log = () => ({ debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() });

describe('R25 a port that cannot be announced', () => {
  it('is said by the gateway, which listens all the same, follows 2 changes of its settings and stops', async () => {
    const values: Record<string, unknown> = { 'gateway.enabled': true, 'gateway.port': 7001 };
    let changed: (keys: readonly string[]) => void = () => undefined;
    const said = log();
    const gateway = createGatewayServing({
      settings: {
        get: (key: string) => values[key],
        onChange: (listener: typeof changed) => {
          changed = listener;
          return () => undefined;
        },
      } as never,
      log: said,
      audit: { record: () => undefined } as never,
      open: () =>
        Promise.resolve({
          port: values['gateway.port'] as number,
          stop: () => Promise.resolve(),
          windowChanged: () => undefined,
          revoked: () => Promise.resolve(),
        }),
      publish: (port) => writePortFile(dir, 'gateway', port),
      forgetAnswers: () => Promise.resolve(),
      onChange: () => undefined,
    });
    fs.mkdirSync(fileOf('gateway'));
    gateway.start();
    await expect
      .poll(() => gateway.now())
      .toMatchObject({
        port: 7001,
        problem: expect.stringContaining(`${fileOf('gateway')} cannot be set to 7001`) as string,
      });
    values['gateway.port'] = 7002;
    changed(['gateway.port']);
    await expect.poll(() => gateway.now().port).toBe(7002);
    fs.rmdirSync(fileOf('gateway'));
    values['gateway.port'] = 7003;
    changed(['gateway.port']);
    await expect.poll(() => gateway.now()).toEqual({ port: 7003, problem: undefined });
    expect(fs.readFileSync(fileOf('gateway'), 'utf8')).toBe('7003\n');
    fs.rmSync(fileOf('gateway'));
    fs.mkdirSync(fileOf('gateway'));
    await gateway.stop();
    expect(gateway.now().problem).toContain('cannot be removed');
    expect(said.warn).toHaveBeenCalledTimes(5);
  });

  it('is said in the log by health and metrics: both listen, and 1 refused file does not stop the end of the other', async () => {
    const said = log();
    fs.mkdirSync(fileOf('health'));
    const server = createMetricsServer({
      runDir: path.join(dir, 'run'),
      ports: { health: 0, metrics: 0 },
      mustHaveToken: false,
      open: readOnlyServer(),
      writePrivately: () => undefined,
      publish: (which, port) => writePortFile(dir, which, port),
      health: () => ({}) as never,
      metrics: () => Promise.reject(new Error('not here')),
      log: said,
    });
    await server.start();
    const { health = 0 } = server.ports();
    expect((await fetch(`http://127.0.0.1:${String(health)}/live`)).status).toBe(200);
    expect(fs.existsSync(fileOf('metrics'))).toBe(true);
    await server.stop();
    expect(fs.existsSync(fileOf('metrics'))).toBe(false);
    expect(said.warn.mock.calls.map(([event]: unknown[]) => event)).toEqual([
      'observability.not_published',
      'observability.not_published',
    ]);
  });
});
