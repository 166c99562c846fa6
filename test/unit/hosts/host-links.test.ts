import { describe, expect, it } from 'vitest';
import { createHostLinks } from '../../../electron/engine/hosts/host-links';
import type { FarEnd, RunFar } from '../../../electron/ports/far-hosts';
import { questionCommand } from '../../../shared/host-question';
import { hostInbox, hostView } from '../../../shared/types';
import { createVirtualClock } from '../../helpers/virtual-clock';
import { farCall as call } from '../../helpers/far-asks';

interface Started {
  readonly args: readonly string[];
  /** What was said to it. */
  readonly heard: unknown[];
  readonly atMs: number;
  isOver: boolean;
  say(line: object | string): void;
  end(end: FarEnd): void;
}

const hello = { holdfast: { link: [1], version: '1.0.0' } };
const state = { state: { phase: 'running', needsYou: 1, running: 2 } };

function world(addresses: Record<string, string> = { box: 'ssh://me@box' }) {
  const clock = createVirtualClock(1_000_000);
  const started: Started[] = [];
  const runFar: RunFar = (_, args, onLine) => {
    let over: (end: FarEnd) => void = () => undefined;
    const ended = new Promise<FarEnd>((resolve) => (over = resolve));
    const one: Started = {
      args,
      heard: [],
      atMs: clock.monotonicMs(),
      isOver: false,
      say: (line) => onLine(typeof line === 'string' ? line : JSON.stringify(line)),
      end(end) {
        one.isOver = true;
        over(end);
      },
    };
    started.push(one);
    const say = (line: string): void => void one.heard.push(JSON.parse(line));
    return { ended, say, end: () => one.end({ code: null, lastWords: '' }) };
  };
  let told = 0;
  const news: string[] = [];
  const quiet = () => undefined;
  const log = { info: quiet, warn: quiet, error: quiet, debug: quiet } as never;
  const links = createHostLinks({
    clock,
    log,
    runFar,
    version: '1.0.0',
    addresses: () => addresses,
    onChange: () => {
      for (const view of links.views()) hostView.parse(view);
    },
    onAsks: () => {
      told += 1;
      for (const inbox of links.inbox()) hostInbox().parse(inbox);
    },
    onNews: (name) => {
      news.push(name);
    },
  });
  links.follow();
  const view = () => links.views()[0];
  const last = (): Started => started.at(-1) as Started;
  const inbox = () => links.inbox()[0];
  return { clock, started, links, addresses, view, last, inbox, news, told: () => told };
}

describe('links to hosts', () => {
  it('HO-02 a host is connecting until it has said how it is, and no word before that counts', async () => {
    const { view, last, clock } = world();
    expect(view()).toEqual({ kind: 'connecting', name: 'box' });
    last().say('Welcome');
    last().say(state);
    last().say(hello);
    expect(view()?.kind).toBe('connecting');
    last().say(state);
    expect(view()).toEqual({
      kind: 'connected',
      name: 'box',
      sinceMs: clock.nowMs(),
      version: '1.0.0',
      ...state.state,
    });
    last().say({ problem: 'It hangs.' });
    expect(view()).toMatchObject({ problem: 'It hangs.', needsYou: 1 });
    last().say(state);
    expect(view()).not.toHaveProperty('problem');
  });

  it('HO-02 connections that drop at once make the pauses grow all the same, and it is unreachable or connecting, never both', async () => {
    const { clock, started, view, last } = world();
    for (let round = 0; round < 5; round += 1) {
      last().say(hello);
      last().say(state);
      last().end({ code: 255, lastWords: 'gone' });
      await clock.advance(0);
      expect(view()).toMatchObject({ kind: 'unreachable', why: 'The connection failed: gone' });
      await clock.advance(1_000 * 2 ** round);
      expect(view()).toMatchObject({ kind: 'connecting', failed: { why: expect.any(String) } });
    }
    const at = started.map(({ atMs }) => atMs);
    expect(at.slice(1).map((ms, n) => ms - (at[n] ?? 0))).toEqual([
      1_000, 2_000, 4_000, 8_000, 16_000,
    ]);
    last().say(hello);
    last().say(state);
    for (let beat = 0; beat < 2; beat += 1) {
      await clock.advance(50_000);
      last().say({ beat: true });
    }
    last().end({ code: 255, lastWords: '' });
    await clock.advance(0);
    await clock.advance(1_000);
    expect(started).toHaveLength(7);
  });

  it('HO-02 a host that says nothing for 150 s is given up, one that does not greet after 25 s', async () => {
    const { clock, started, view, last } = world();
    await clock.advance(25_000);
    expect(view()).toMatchObject({ kind: 'unreachable', why: 'It did not answer in time.' });
    await clock.advance(1_000);
    last().say(hello);
    last().say(state);
    await clock.advance(149_000);
    expect(view()?.kind).toBe('connected');
    await clock.advance(1_000);
    expect(view()).toMatchObject({ kind: 'unreachable', why: 'It stopped responding.' });
    expect(started).toHaveLength(2);
  });

  it('HO-02 an end without a greeting asks for the version, once', async () => {
    const { clock, started, view, last } = world();
    last().end({ code: 2, lastWords: 'unknown command' });
    await clock.advance(0);
    expect(last().args).toEqual(['status', '--json']);
    last().say('{');
    last().say('"version": "0.0.9" }');
    last().end({ code: 0, lastWords: '' });
    await clock.advance(0);
    expect(view()).toMatchObject({ kind: 'other_version', theirs: '0.0.9' });
    await clock.advance(599_000);
    expect(started).toHaveLength(2);
  });

  it('HO-02 a host that goes is left at once and has no process; an address that is none is said', async () => {
    const { clock, started, links, addresses, view } = world();
    addresses['bad'] = 'ssh://box/path';
    links.follow();
    expect(view()).toMatchObject({ name: 'bad', kind: 'unreachable' });
    delete addresses['bad'];
    delete addresses['box'];
    links.follow();
    expect([links.views(), started.map(({ isOver }) => isOver)]).toEqual([[], [true]]);
    await clock.advance(1_000_000);
    expect([started.length, clock.pending.sleeps]).toEqual([1, 0]);
  });

  it('HO-02 what waits on a host is listed while it is connected, each change is told, and after a cut it is not known', async () => {
    const { clock, view, last, inbox, told } = world();
    const ours = { holdfast: { ...hello.holdfast, tells: ['asks', 'moods'] } };
    last().say(ours);
    last().say({ asks: { list: [call], more: 0, others: 0 } });
    expect(inbox()).toEqual({ name: 'box', tells: true });
    last().say(state);
    const before = told();
    last().say({ asks: { list: [call, { kind: 'dream' }], more: 2, others: 1 } });
    expect(told()).toBe(before + 1);
    expect(inbox()).toEqual({
      name: 'box',
      tells: true,
      waiting: { asks: [call], hidden: 3, others: 1 },
    });
    last().say({ asks: { list: [], more: 0, others: 0 } });
    expect(inbox()?.waiting).toEqual({ asks: [], hidden: 0, others: 0 });
    last().end({ code: 255, lastWords: '' });
    await clock.advance(0);
    expect([view()?.kind, inbox()]).toEqual(['unreachable', { name: 'box' }]);
    expect(told()).toBe(before + 3);
  });

  it.each([
    ['of an older version that tells none', hello, undefined],
    ['of another sort', { holdfast: { ...hello.holdfast, tells: ['asks'] } }, { asks: 'many' }],
    ['without its numbers', { holdfast: { ...hello.holdfast, tells: 7 } }, { asks: { list: [] } }],
  ] as const)(
    'HO-02 a list %s is no empty one: it is not known what waits',
    (_, greeting, line) => {
      const { last, inbox, view } = world();
      last().say(greeting);
      last().say(state);
      if (line !== undefined) last().say(line);
      expect(inbox()).toEqual({ name: 'box', tells: false });
      expect(view()?.kind).toBe('connected');
    },
  );

  const answer = {
    requestHash: call.requestHash,
    answer: { kind: 'allow', requestId: call.requestId, scope: 'once' },
  } as const;
  const asked = () => {
    const made = world();
    made.last().say({ holdfast: { ...hello.holdfast, tells: ['asks'] } });
    made.last().say(state);
    made.last().say({ asks: { list: [call], more: 0, others: 0 } });
    return made;
  };

  it('HO-02 that something went on there is told once it is connected, with its name, and changes nothing that is shown', async () => {
    const { last, view, news, told } = world();
    last().say(hello);
    last().say({ news: true });
    expect(news).toEqual([]);
    last().say(state);
    const [before, count] = [view(), told()];
    last().say({ news: true });
    last().say({ news: 'much' });
    last().say({ news: true, more: 1 });
    expect(news).toEqual(['box', 'box']);
    expect([view(), told()]).toEqual([before, count]);
  });

  it('HO-02 an answer is sent once, to what waits there; one beside it is not sent, and what counted is listed no more', async () => {
    const { links, last, started, inbox } = asked();
    const first = links.answer('box', answer);
    expect(last().args).toEqual(['hosts', 'answer', JSON.stringify(answer), '--json']);
    expect(await links.answer('box', answer)).toEqual({
      outcome: 'not_counted',
      why: 'Nothing was sent: another answer to it is being sent.',
    });
    expect(started).toHaveLength(2);
    last().say({ counted: true, isRunning: true });
    last().end({ code: 0, lastWords: '' });
    expect(await first).toEqual({ outcome: 'counted', why: '' });
    expect(inbox()?.waiting?.asks).toEqual([]);
    expect((await links.answer('box', answer)).outcome).toBe('not_counted');
    expect(started).toHaveLength(2);
  });

  it('HO-02 an answer that gets no word within 30 s is not known to have counted, stays listed, and can be given again', async () => {
    const { links, last, clock, inbox } = asked();
    const first = links.answer('box', answer);
    await clock.advance(30_000);
    expect(await first).toEqual({ outcome: 'unknown', why: 'box did not respond in time.' });
    expect(inbox()?.waiting?.asks).toEqual([call]);
    const again = links.answer('box', answer);
    last().say({ error: { code: 'REQUEST_ANSWERED', message: 'It was answered.' } });
    last().end({ code: 4, lastWords: '' });
    expect(await again).toEqual({ outcome: 'not_counted', why: 'It was answered.' });
  });

  it('HO-02 nothing is sent to a host that is gone, or that is none', async () => {
    const { links, last, clock, started } = asked();
    last().end({ code: 255, lastWords: '' });
    await clock.advance(0);
    expect((await links.answer('box', answer)).outcome).toBe('not_counted');
    expect(() => links.answer('attic', answer)).toThrow('There is no host attic.');
    expect(started).toHaveLength(1);
  });

  const sessions = { kind: 'sessions' } as const;
  const walrus = { kind: 'search', words: 'walrus' } as const;
  it('HO-02 a host from before this one is asked over a connection of its own, a newer question ends the older one, and who asked that is told', async () => {
    const { links, last, started } = asked();
    const older = links.ask('box', sessions);
    const first = last();
    const other = links.ask('box', walrus);
    const search = last();
    const newer = links.ask('box', sessions);
    expect([first.isOver, search.isOver]).toEqual([true, false]);
    expect(await older).toEqual({ kind: 'untold', why: 'A newer question replaced it.' });
    expect(last().args).toEqual(questionCommand(sessions));
    last().say('{ "sessions":');
    last().say('[] }');
    last().end({ code: 0, lastWords: '' });
    expect(await newer).toEqual({ kind: 'told', value: { sessions: [] } });
    search.say({ hits: [] });
    search.end({ code: 0, lastWords: '' });
    expect(await other).toEqual({ kind: 'told', value: { hits: [] } });
    expect(started).toHaveLength(4);
  });

  it('HO-02 a host that says nothing for 20 s or too much is given up, and can be asked again', async () => {
    const { links, last, clock } = asked();
    const slow = links.ask('box', sessions);
    await clock.advance(20_000);
    expect(await slow).toEqual({ kind: 'untold', why: 'box did not respond in time.' });
    const loud = links.ask('box', sessions);
    for (let n = 0; n < 21; n += 1) last().say('x'.repeat(100_000));
    expect(last().isOver).toBe(true);
    expect(await loud).toEqual({ kind: 'untold', why: 'box sent too much data.' });
    const again = links.ask('box', sessions);
    last().say({ sessions: [] });
    last().end({ code: 0, lastWords: '' });
    expect((await again).kind).toBe('told');
  });

  it('HO-02 a host without a connection is not asked, and one that is left is asked no longer', async () => {
    const { links, last, clock, started, addresses } = asked();
    const left = links.ask('box', sessions);
    const question = last();
    delete addresses['box'];
    links.follow();
    expect(question.isOver).toBe(true);
    expect((await left).kind).toBe('untold');
    expect(() => links.ask('box', sessions)).toThrow('There is no host box.');
    addresses['box'] = 'ssh://me@box';
    links.follow();
    const before = started.length;
    expect(await links.ask('box', sessions)).toEqual({
      kind: 'untold',
      why: 'There is no connection to box now.',
    });
    expect([started.length, clock.pending.sleeps]).toEqual([before, 1]);
  });

  describe('that answers over the connection that is kept', () => {
    const linked = () => {
      const made = world();
      made.last().say({ holdfast: { ...hello.holdfast, tells: ['asks', 'answers', 'more'] } });
      made.last().say(state);
      return { ...made, link: made.last() };
    };
    const numberOf = (line: unknown): number =>
      (line as { readonly question: { readonly number: number } }).question.number;
    const untold = (why: string) => ({ kind: 'untold', why });

    it('HO-02 questions and answers of all subjects go over it in any order, and no other connection is opened', async () => {
      const { links, link, started } = linked();
      const first = links.ask('box', sessions);
      const second = links.ask('box', walrus);
      expect(link.heard).toEqual([
        { question: { number: 1, kind: 'sessions' } },
        { question: { number: 2, kind: 'search', words: 'walrus' } },
      ]);
      const why = { error: { code: 'SESSION_UNKNOWN', message: 'There is none.' } };
      link.say({ answer: { number: 2, value: why } });
      link.say({ answer: { number: 1, value: { sessions: [] } } });
      expect(await first).toEqual({ kind: 'told', value: { sessions: [] } });
      expect(await second).toEqual({
        kind: 'untold',
        why: 'There is none.',
        code: 'SESSION_UNKNOWN',
      });
      expect(started).toHaveLength(1);
    });

    it('HO-02 a newer question ends the older one, whose late answer counts for none', async () => {
      const { links, link } = linked();
      const older = links.ask('box', sessions);
      const newer = links.ask('box', sessions);
      expect(await older).toEqual(untold('A newer question replaced it.'));
      const third = links.ask('box', walrus);
      const numbers = link.heard.map(numberOf);
      expect(new Set(numbers).size).toBe(3);
      link.say({ answer: { number: numbers[0], value: { sessions: ['of the older'] } } });
      link.say({ answer: { number: 99, value: {} } });
      link.say({ answer: { number: numbers[1], value: { sessions: ['of the newer'] } } });
      link.say({ answer: { number: numbers[2], value: { hits: [] } } });
      expect(await newer).toEqual({ kind: 'told', value: { sessions: ['of the newer'] } });
      expect(await third).toEqual({ kind: 'told', value: { hits: [] } });
    });

    it('HO-02 one that says nothing for 20 s is given up while the connection stays, and can be asked again', async () => {
      const { links, link, clock, view } = linked();
      const slow = links.ask('box', sessions);
      await clock.advance(20_000);
      expect(await slow).toEqual(untold('box did not respond in time.'));
      expect([view()?.kind, link.isOver]).toEqual(['connected', false]);
      const again = links.ask('box', sessions);
      link.say({ answer: { number: numberOf(link.heard[1]), value: { sessions: [] } } });
      expect((await again).kind).toBe('told');
      expect(clock.pending.sleeps).toBe(1);
    });

    it('HO-02 the end of the connection ends what is asked over it, and the next one is asked anew', async () => {
      const { links, link, clock, last, started } = linked();
      const asking = [links.ask('box', sessions), links.ask('box', walrus)];
      link.end({ code: 255, lastWords: 'gone' });
      const gone = untold('The connection to box ended before it responded.');
      expect(await Promise.all(asking)).toEqual([gone, gone]);
      expect(await links.ask('box', sessions)).toEqual(
        untold('There is no connection to box now.'),
      );
      await clock.advance(1_000);
      // It is one from before this one now.
      last().say(hello);
      last().say(state);
      const question = links.ask('box', sessions);
      expect(last().args).toEqual(questionCommand(sessions));
      last().say({ sessions: [] });
      last().end({ code: 0, lastWords: '' });
      expect((await question).kind).toBe('told');
      expect(started).toHaveLength(3);
    });
  });
});
