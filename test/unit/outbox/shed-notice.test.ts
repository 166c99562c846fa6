import { describe, expect, it } from 'vitest';
import { createShedNotice } from '../../../electron/engine/outbox/dropped-notice';
import { createHandClock } from '../../helpers/delivery-world';

/** The disk, the inbox and the writer as the notice sees them. */
function place() {
  const disk = { shed: 0, told: 0, isOpen: false, refuses: false };
  const said: string[] = [];
  const clock = createHandClock();
  const write = (what: string): Promise<void> => {
    if (disk.refuses) return Promise.reject(new Error('The disk is full.'));
    said.push(what);
    disk.told = disk.shed;
    return Promise.resolve();
  };
  const errors: string[] = [];
  const log = {
    debug: () => 0,
    info: () => 0,
    warn: () => 0,
    error: (name: string) => errors.push(name),
  };
  const notice = createShedNotice({
    clock,
    log,
    queue: { shedUntold: () => disk.shed - disk.told, markShedTold: () => write('marked') },
    isOpen: () => disk.isOpen,
    open: () => write('opened').then(() => void (disk.isOpen = true)),
  });
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const shed = async (count: number): Promise<void> => {
    disk.shed += count;
    notice.request();
    await settle();
  };
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await settle();
  };
  return { disk, said, errors, clock, notice, shed, pass, settle };
}

describe('the notice that events were shed', () => {
  it('S2-38 comes once for 1,000 shed events, and nothing is looked for while all is told', async () => {
    const { said, clock, shed } = place();
    await shed(1_000);
    expect(said).toEqual(['opened']);
    expect(clock.sleeps).toEqual([]);
  });

  it('S2-38 that the disk refused comes within a minute, once', async () => {
    const { disk, said, errors, shed, pass } = place();
    disk.refuses = true;
    await shed(3);
    await pass(60_000);
    expect([said, errors.length]).toEqual([[], 2]);
    disk.refuses = false;
    await pass(60_000);
    await pass(600_000);
    expect(said).toEqual(['opened']);
  });

  it('S2-38 is opened again for what is shed 5 s after a person has settled it, a minute after the first', async () => {
    const { disk, said, shed, pass } = place();
    await shed(1);
    disk.isOpen = false;
    await pass(5_000);
    await shed(1);
    await pass(54_000);
    expect(said).toEqual(['opened']);
    await pass(1_000);
    expect(said).toEqual(['opened', 'opened']);
  });

  it('S2-38 that is still open tells of later ones too: they are marked, not told again', async () => {
    const { said, shed, pass } = place();
    await shed(1);
    await shed(5);
    await pass(60_000);
    expect(said).toEqual(['opened', 'marked']);
  });

  it('S2-38 that an earlier life owes comes with the start, and after a stop none comes', async () => {
    const late = place();
    late.disk.shed = 4;
    late.notice.request();
    await late.settle();
    expect(late.said).toEqual(['opened']);
    const stopped = place();
    stopped.disk.refuses = true;
    await stopped.shed(1);
    stopped.notice.stop();
    stopped.disk.refuses = false;
    await stopped.pass(120_000);
    expect(stopped.said).toEqual([]);
  });
});
