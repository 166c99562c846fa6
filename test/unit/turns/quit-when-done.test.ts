import { describe, expect, it, vi } from 'vitest';
import {
  createQuitWhenDone,
  stepsAtWork,
  type RunAtWork,
} from '../../../electron/engine/turns/quit-when-done';
import { quitWhenDoneText } from '../../../shared/quit-words';

const step = (over: Partial<RunAtWork['steps'][number]> = {}): RunAtWork['steps'][number] => ({
  step: 3,
  tool: 'shell.shell',
  hint: 'npm test',
  purity: 'side_effect',
  state: 'started',
  startedAtMs: 60_000,
  ...over,
});
const run = (over: Partial<RunAtWork> = {}): RunAtWork => ({
  turnId: 7,
  phase: 'goes',
  steps: [step()],
  triesAgainAtMs: 0,
  ...over,
});

describe('F4 what a quit waits for', () => {
  it.each([
    ['a step at work', run(), ['npm test']],
    ['a run that has passed and is about to begin a step', run({ steps: [] }), ['']],
    [
      'the end of a step that is not on disk yet',
      run({ steps: [step({ state: 'completed' })] }),
      [''],
    ],
    ['nothing of a run that rests between two steps', run({ phase: 'rests' }), []],
    ['a call of another program', run({ phase: 'busy' }), ['npm test']],
    ['nothing of a program that can be ended here', run({ phase: 'idle' }), []],
    ['nothing that waits to ask its provider again', run({ triesAgainAtMs: 100_001 }), []],
    ['a model that is asked again now', run({ triesAgainAtMs: 100_000 }), ['npm test']],
  ] as const)('%s', (_what, facts, names) => {
    expect(stepsAtWork([facts], 100_000).map(({ hint }) => hint)).toEqual(names);
  });

  it.each([
    [[], 'Quits now'],
    [[step()], 'Quits when 1 step completes: npm test, 40 s'],
    [[step({ hint: '' })], 'Quits when 1 step completes: shell.shell, 40 s'],
    [
      [step({ hint: 'later', startedAtMs: 90_000 }), step()],
      'Quits when 2 steps complete: npm test, 40 s',
    ],
    [
      [step({ hint: `a\n${'b'.repeat(60)}` })],
      `Quits when 1 step completes: a ${'b'.repeat(27)}…, 40 s`,
    ],
  ])('says it of %j', (steps, text) => {
    const all = steps.map((one) => ({ ...one, turnId: 7, isEffect: true }));
    expect(quitWhenDoneText(all, ({ startedAtMs }) => `${(100_000 - startedAtMs) / 1_000} s`)).toBe(
      text,
    );
  });
});

describe('F4 the gate between two steps', () => {
  function gate() {
    const soon: (() => void)[] = [];
    const quit = vi.fn();
    const onTakenBack = vi.fn();
    const draining = new AbortController();
    const readSteps = vi.fn(() => []);
    const room = createQuitWhenDone({
      reads: { steps: readSteps, callTries: () => [] },
      draining: draining.signal,
      clock: { nowMs: () => 0 },
      soon: (work) => void soon.push(work),
      quit,
      onTakenBack,
      onChange: () => undefined,
    });
    const settle = (): void => {
      for (const work of soon.splice(0)) work();
    };
    return { room, quit, onTakenBack, settle, draining, readSteps };
  }
  const alive = (): AbortSignal => new AbortController().signal;

  it('lets all pass while nobody wants to quit', () => {
    const { room, quit, settle } = gate();
    expect(room.pass(1, alive())).toBeUndefined();
    room.left(1);
    settle();
    expect(quit).not.toHaveBeenCalled();
  });

  it('quits at once where nothing is at work, and once', () => {
    const { room, quit, settle } = gate();
    room.want();
    settle();
    room.want();
    settle();
    expect(quit).toHaveBeenCalledTimes(1);
    // It stops already: nothing begins again for a wish that comes too late.
    room.takeBack();
    expect(room.isWanted()).toBe(true);
  });

  it('reads nothing for a look that was put off before a stop of another kind began', () => {
    const { room, quit, settle, draining, readSteps } = gate();
    void room.pass(1, alive());
    room.want();
    draining.abort();
    settle();
    room.left(1);
    settle();
    expect(readSteps).not.toHaveBeenCalled();
    expect(quit).not.toHaveBeenCalled();
  });

  it('quits when the last run rests or is over', () => {
    const { room, quit, settle } = gate();
    void room.pass(1, alive());
    void room.pass(2, alive());
    room.want();
    settle();
    void room.pass(1, alive());
    settle();
    expect(quit).not.toHaveBeenCalled();
    room.left(2);
    settle();
    expect(quit).toHaveBeenCalledTimes(1);
  });

  it('lets what rests go on when it is taken back, and counts it as at work', async () => {
    const { room, quit, onTakenBack, settle } = gate();
    void room.pass(1, alive());
    void room.pass(2, alive());
    room.want();
    settle();
    const rests = room.pass(1, alive());
    room.takeBack();
    await rests;
    expect(onTakenBack).toHaveBeenCalledTimes(1);
    room.left(2);
    room.want();
    settle();
    expect(quit).not.toHaveBeenCalled();
  });

  it('lets a run that is stopped meanwhile end', async () => {
    const { room } = gate();
    const stop = new AbortController();
    void room.pass(1, alive());
    room.want();
    const rests = room.pass(1, stop.signal);
    stop.abort();
    await rests;
    expect(room.pass(1, stop.signal)).toBeUndefined();
  });

  it('asks a run of another program whether a call is at work, at each look', () => {
    const { room, quit, settle } = gate();
    let isBusy = true;
    room.follow(1, () => isBusy);
    room.want();
    settle();
    expect(quit).not.toHaveBeenCalled();
    isBusy = false;
    room.look();
    settle();
    expect(quit).toHaveBeenCalledTimes(1);
  });
});
