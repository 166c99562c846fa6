import { describe, expect, it } from 'vitest';
import { unlessRefused } from '../../../electron/engine/gateway/budget';
import type { DiskRefusal, Journal } from '../../../electron/ports/journal/journal';

const FULL: DiskRefusal = { code: 'DISK_FULL', message: 'The disk is full.', sinceMs: 0 };

function journal(refusal?: DiskRefusal) {
  const listeners = new Set<Parameters<Journal['onCommitted']>[0]>();
  return {
    listeners,
    refuse: () => {
      refusal = FULL;
      for (const listener of listeners) listener([], 0, 0);
    },
    refusal: () => refusal,
    onCommitted: (listener: Parameters<Journal['onCommitted']>[0]) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
const never = new Promise<void>(() => undefined);

describe('an answer of the gateway whose count', () => {
  it('S0-38 is written goes on after the write', async () => {
    const disk = journal();
    let write = (): void => undefined;
    const written = new Promise<void>((resolve) => (write = resolve));
    let isOver = false;
    const waiting = unlessRefused(disk, written).then(() => (isOver = true));
    await new Promise(setImmediate);
    expect(isOver).toBe(false);
    write();
    await waiting;
    expect(disk.listeners.size).toBe(0);
  });

  it('S0-38 the disk refuses goes on at once: before the write and in the middle of it', async () => {
    await unlessRefused(journal(FULL), never);
    const disk = journal();
    const waiting = unlessRefused(disk, never);
    disk.refuse();
    await waiting;
    expect(disk.listeners.size).toBe(0);
  });
});
