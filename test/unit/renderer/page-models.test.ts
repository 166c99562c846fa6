import { describe, expect, it } from 'vitest';
import {
  checkFirst,
  groupEntries,
  isUrgent,
  pickEntry,
  planLines,
  standStill,
  stepOffers,
  turnOffers,
  whyAsked,
} from '../../../renderer/decisions/decision-view';
import {
  headline,
  lastDecidedAtMs,
  needsYou,
  pipsOf,
  restartSentence,
} from '../../../renderer/home/home-view';
import {
  applyDelta,
  chatBlocks,
  finishedSentences,
  holdNewest,
  joinPages,
  settleProvisional,
} from '../../../renderer/session/session-rows';
import {
  controlOf,
  findSettings,
  isOverridden,
  keySentence,
  toggled,
} from '../../../renderer/settings/settings-view';
import { barLook, turnRows } from '../../../renderer/turn/turn-view';
import { practiceCounts, practiceStory } from '../../../renderer/welcome/welcome-view';
import type {
  InboxItem,
  RestartNotice,
  SessionEvent,
  StatusSnapshot,
  StepView,
} from '../../../shared/types';
import { createSeed } from '../../helpers/fake-seed';
import { SLACK } from '../../helpers/slack';

const NOW = new Date(2026, 2, 24, 14, 31).getTime();
const seed = createSeed(NOW);

describe('the headline of Home', () => {
  const counts = { needsYou: 0, running: 0, queued: 0, waiting: 0, parked: 0 };
  const status = (given: Partial<StatusSnapshot>): StatusSnapshot => ({
    ...seed.status,
    counts,
    kept: { stepsReusedToday: 0, savedUsdToday: 0 },
    ...given,
  });
  it.each([
    [{ tray: 'idle' }, 'All quiet.', 'No turns are running or waiting.'],
    [
      { tray: 'working', counts: { ...counts, running: 2 } },
      'Two turns are running.',
      'Nothing needs you, and no turns are waiting for a provider.',
    ],
    [
      { tray: 'working', counts: { ...counts, running: 1, queued: 3 } },
      'One turn is running.',
      'Three turns are waiting.',
    ],
    [
      { tray: 'attention', counts: { ...counts, needsYou: 3, running: 2 } },
      'Three things need you',
      'Two turns are running.',
    ],
    [
      { tray: 'attention', counts: { ...counts, needsYou: 1, waiting: 1 } },
      'One thing needs you',
      'Nothing else is running or waiting.',
    ],
    [
      {
        tray: 'attention',
        counts: { ...counts, needsYou: 1, waiting: 3 },
        outside: { providers: [{ provider: 'office', state: 'down', waiting: 3 }] },
      },
      'One thing needs you',
      'Three turns are waiting.',
    ],
    [
      { tray: 'paused', paused: {}, counts: { ...counts, queued: 4 } },
      'New turns are paused. 4 wait.',
      'Nothing is running.',
    ],
    [{ tray: 'stopped', phase: 'starting' }, 'Holdfast is starting', 'Accepted work is saved.'],
  ] as const)('says for %j: %s', (given, title, sub) => {
    expect(headline(status(given as Partial<StatusSnapshot>))).toMatchObject({ title, sub });
  });

  it('S2-49 says for as long as it takes that Holdfast is stopping, and that work is on disk', () => {
    expect(headline(status({ tray: 'stopped', phase: 'stopping' }))).toMatchObject({
      title: 'Holdfast is stopping',
      sub: 'Accepted work is saved.',
    });
  });

  it('says after a restart what was reused, and only where the snapshot has a number', () => {
    const subOf = (given: Partial<StatusSnapshot>): string =>
      headline(status({ tray: 'attention', counts: { ...counts, running: 2 }, ...given })).sub;
    const restart = seed.status.restart;
    if (!restart) throw new Error('the seed has no restart');
    const kept = { stepsReusedToday: 14, savedUsdToday: 0.1 };
    expect(subOf({ kept, restart })).toBe(
      'Two turns are running. 14 completed steps were reused today instead of run again.',
    );
    expect(subOf({ kept: { ...kept, stepsReusedToday: 1 }, restart })).toBe(
      'Two turns are running. One completed step was reused today instead of run again.',
    );
    for (const given of [
      { restart },
      { kept, restart: { ...restart, isDismissed: true } },
      { kept, restart: { ...restart, resumedTurns: [] } },
      { kept, restart: undefined as never },
    ]) {
      expect(subOf(given)).toBe('Two turns are running.');
    }
  });

  it('names the time until which new turns are paused', () => {
    const paused = { untilMs: new Date(2026, 2, 24, 15, 30).getTime() };
    expect(
      headline(status({ tray: 'paused', paused, counts: { ...counts, queued: 4 } }), 'en-GB').title,
    ).toBe('New turns are paused until 15:30. 4 wait.');
  });

  it.each([
    ['outage', { broker: 'down' }, 'The event broker is down', 'No turns are running'],
    [
      'outage',
      { broker: 'down', depth: 12 },
      'The event broker is down',
      '12 events are queued, in order.',
    ],
    ['degraded', { deadLetters: 1 }, '1 event could not be delivered', 'No turns are running'],
    ['degraded', { isNearlyFull: true }, 'The event queue is nearly full', 'No turns are running'],
  ] as const)('%s with %j says: %s', (tray, given, title, sub) => {
    const events = { broker: 'connected' as const, depth: 0, deadLetters: 0, shed: 0 };
    const head = headline(
      status({
        tray,
        delivery: { ...events, ...given },
        outside: { providers: [], openBreakers: [] },
        counts: { needsYou: 0, running: 0, queued: 0, waiting: 0, parked: 0 },
      }),
    );
    expect(head.title).toBe(title);
    expect(head.sub).toContain(sub);
  });

  it.each([
    [
      { programChanged: true },
      'Holdfast’s program files changed while it was running',
      'Your work is safe. Restart Holdfast: turns wait until then.',
    ],
    [
      { lostRuns: 1 },
      '1 turn stopped responding',
      'No heartbeat for too long. Completed steps are saved and the turn resumes, no later than the next start.',
    ],
    [
      {
        outside: {
          providers: [{ provider: 'anthropic', state: 'key', waiting: 2, sentence: '' }],
          openBreakers: [],
        },
      },
      'Anthropic rejected the API key',
      'No turns are running or waiting.',
    ],
    [
      { configProblems: [{ line: 14, message: 'config.json, line 14: "soon" is no duration.' }] },
      'config.json has a problem',
      'config.json, line 14: "soon" is no duration.',
    ],
    [
      { configProblems: [{ line: 3, level: 'hint', message: 'x' }] },
      'Something needs attention',
      'No turns are running or waiting.',
    ],
  ] as const)('degraded by %j says %s', (given, title, sub) => {
    const quiet = { needsYou: 0, running: 0, queued: 0, waiting: 0, parked: 0 };
    const facts = { tray: 'degraded', counts: quiet, ...given } as Partial<StatusSnapshot>;
    expect(headline(status(facts))).toMatchObject({ title, sub });
  });

  it('puts a refusing disk before everything else', () => {
    const journal = {
      seq: 1,
      appliedSeq: 1,
      refusal: { code: 'DISK_FULL', message: 'The disk is full.', sinceMs: 1 },
    };
    expect(headline(status({ tray: 'degraded', journal })).sub).toBe('The disk is full.');
    const refusal = { ...journal.refusal, of: 'reads' as const, message: 'An error.' };
    expect(headline(status({ tray: 'degraded', journal: { ...journal, refusal } }))).toMatchObject({
      title: 'Holdfast can’t read from disk. The data on it is unchanged.',
      sub: 'An error.',
    });
  });
});

describe('S0-30 the restart notice tells why', () => {
  const notice = (given: Partial<RestartNotice>): RestartNotice => ({
    reason: 'crash',
    startedAtMs: NOW,
    downSinceMs: new Date(2026, 2, 24, 14, 2).getTime(),
    downMs: 253_000,
    resumedTurns: [],
    heldTurns: [],
    parkedTurns: [],
    staleTurns: [],
    restoreSkipped: false,
    isDismissed: false,
    ...given,
  });
  it.each([
    [
      { reason: 'power_loss', resumedTurns: [1, 2, 3], heldTurns: [4] },
      'Restarted after a crash at 14:02, power loss, down at most 4 min 13 s. 3 turns resumed, 1 needs review.',
    ],
    [
      { reason: 'crash' },
      'Restarted after a crash at 14:02, it crashed, down at most 4 min 13 s. Nothing was interrupted.',
    ],
    [
      { reason: 'kill', resumedTurns: [1] },
      'Restarted after a crash at 14:02, it was killed, down at most 4 min 13 s. 1 turn resumed.',
    ],
    [{ reason: 'update' }, 'Restarted after an update. Nothing was interrupted.'],
    [{ reason: 'clean', resumedTurns: [1, 2] }, 'Restarted. 2 turns resumed.'],
    [
      { reason: 'takeover' },
      'Replaced a running instance that wasn’t responding. Nothing was interrupted.',
    ],
    [
      { reason: 'os_shutdown' },
      'Restarted after the computer was shut down. Nothing was interrupted.',
    ],
    [
      { reason: 'crash', restoreSkipped: true },
      'Restarted after a crash at 14:02, it crashed, down at most 4 min 13 s. Interrupted turns were left as they are, as you asked.',
    ],
  ] as const)('%j', (given, text) => {
    const sentence = restartSentence(
      notice(given as unknown as Partial<RestartNotice>),
      NOW,
      'en-GB',
    );
    expect(`${sentence?.lead ?? ''} ${sentence?.rest ?? ''}`).toBe(text);
  });

  it.each([
    [[], undefined, '2 decided since.'],
    [[], NOW - 15 * 60_000, '2 decided, the last 14:16.'],
    [[2], NOW - 15 * 60_000, '1 needs review, 1 decided 14:16.'],
    [[1, 2], undefined, '2 need review.'],
  ] as const)('with %j undecided, the last answer at %s', (open, decidedAtMs, text) => {
    const held = notice({ reason: 'crash', heldTurns: [1, 2] });
    const decided = { undecided: new Set<number>(open), decidedAtMs };
    expect(restartSentence(held, NOW, 'en-GB', decided)?.rest).toMatch(
      new RegExp(`${text.replace('.', String.raw`\.`)}$`),
    );
  });

  it('takes the newest answer of its own turns, not of others and not of an earlier restart', () => {
    const held = notice({ reason: 'crash', heldTurns: [1, 2], startedAtMs: 1000 });
    const item = (turnId: number, settledAtMs?: number): InboxItem => ({
      id: turnId,
      kind: 'replay_decision',
      turnId,
      title: '',
      detail: '',
      createdAtMs: 1,
      ...(settledAtMs === undefined ? {} : { settledAtMs }),
    });
    expect(lastDecidedAtMs(held, [item(1, 900), item(2, 1500), item(3, 2000)])).toBe(1500);
    expect(lastDecidedAtMs(held, [item(1, 900), item(2)])).toBeUndefined();
  });

  it('is silent on the first start', () => {
    expect(restartSentence(notice({ reason: 'first_start' }), NOW)).toBeUndefined();
  });

  it('invents no time where the last sign of life is not known', () => {
    const { downSinceMs: _unknown, ...rest } = notice({ reason: 'crash' });
    expect(restartSentence(rest, NOW, 'en-GB')?.rest).toBe(
      'it crashed, down at most 4 min 13 s. Nothing was interrupted.',
    );
  });
});

describe('pips of a running turn', () => {
  it.each([
    [{ steps: 0, reused: 0 }, ''],
    [{ steps: 1, reused: 0 }, 'w'],
    [{ steps: 4, reused: 2 }, 'rrdw'],
    [{ steps: 3, reused: 9 }, 'rrw'],
    [{ steps: 30, reused: 20 }, 'rrdddddddddw'],
  ])('%j', (turn, letters) => {
    expect(
      pipsOf(turn)
        .map((pip) => pip[0])
        .join(''),
    ).toBe(letters);
  });
});

describe('decisions', () => {
  const groups = groupEntries(seed.inbox, seed.decisions, seed.approvals);
  it('S0-34 lists replay decisions oldest first, parked ones below them', () => {
    expect(groups.replay.map(({ item }) => item.id)).toEqual([11, 12]);
    expect(groups.limits.map(({ item }) => item.id)).toEqual([13]);
    expect(groups.parked.map(({ item }) => item.id)).toEqual([14]);
    expect(groups.later).toEqual([]);
    expect(groups.settled.map(({ item }) => item.id)).toEqual([9]);
  });
  it('counts every turn that stands still as the badge does: 6, a parked one and two approvals among them', () => {
    expect(standStill(groups)).toBe(6);
    expect(seed.status.counts.needsYou).toBe(6);
    expect(standStill({ ...groups, limits: [], parked: [] })).toBe(4);
    expect(standStill({ ...groups, approvals: [], limits: [], parked: [] })).toBe(2);
  });
  it('says each answer in one line of at most 32 characters, whatever the turn waits for', () => {
    for (const decision of seed.decisions) {
      const { resume, discard } = turnOffers(decision);
      const steps = decision.ambiguous.flatMap((step) => Object.values(stepOffers(step)));
      for (const { short } of [resume, discard, ...steps]) {
        expect(short.length).toBeGreaterThan(0);
        expect(short.length).toBeLessThanOrEqual(32);
      }
    }
  });
  it('keeps the restart notice out of the list', () => {
    expect(
      Object.values(groups)
        .flat()
        .map(({ item }) => item.kind),
    ).not.toContain('restart_notice');
  });
  it('shows the turn of the link, else the one that needs a person first', () => {
    expect(pickEntry(groups, { turnId: 4 })?.item.id).toBe(14);
    expect(pickEntry(groups, {})?.item.id).toBe(15);
    expect(pickEntry(groups, { turnId: 999 })?.item.id).toBe(15);
    expect(pickEntry(groups, { turnId: 4, itemId: 12 })?.item.id).toBe(12);
  });
  it('lists what wants a person on Home oldest first, whatever it is', () => {
    const asks = needsYou(seed.inbox, seed.decisions, seed.approvals).map(({ item }) => item);
    expect(asks.map((item) => item.id)).toEqual([14, 11, 12, 15, 13, 16]);
    expect(asks.map((item) => item.createdAtMs)).toEqual(
      asks.map((item) => item.createdAtMs).toSorted((one, other) => one - other),
    );
  });
  it('S0-18 asks nobody of an outage on Home; of a refused key it does', () => {
    const of = (kind: 'outage' | 'problem') => ({
      id: 1,
      kind,
      title: '',
      detail: '',
      createdAtMs: 0,
    });
    const asks = needsYou([of('outage'), of('problem')], []);
    expect(asks.map(({ item }) => item.kind)).toEqual(['problem']);
  });

  it('S0-34 keeps what can wait apart from the turns that stand still', () => {
    const urgent = needsYou(seed.inbox, seed.decisions, seed.approvals).filter(isUrgent);
    expect(urgent.map(({ item }) => item.kind)).not.toContain('problem');
    expect(standStill(groupEntries(seed.inbox, seed.decisions, seed.approvals))).toBe(
      new Set(urgent.map(({ item }) => item.turnId ?? item.id)).size,
    );
  });
  it('S0-34 says when the 1 call left, and why it is asked', () => {
    const [held] = seed.decisions;
    const [step] = held?.ambiguous ?? [];
    if (!held || !step) throw new Error('the seed has no ambiguous step');
    const at = (): string => '14:07:25';
    const why = (reason: string, isListed: boolean): string =>
      whyAsked({ ...held, reason, ambiguous: [{ ...step, isListed }] }, at);
    const left = 'The tool call started at 14:07:25. Its outcome was never recorded.';
    expect(why('send_email (started, outcome unknown): on your side-effect list.', true)).toBe(
      `${left} send_email is a side-effect tool: Holdfast won’t run it again without asking.`,
    );
    expect(why('The mail server exited.', true)).toBe(`${left} The mail server exited.`);
    expect(why('The recovery mode is "never".', false)).toBe(
      `${left} The recovery mode is "never".`,
    );
  });

  const mail = seed.decisions[0];
  if (!mail) throw new Error('the seed has no decision');
  const unknown = mail.ambiguous[0];
  if (!unknown) throw new Error('the seed has no ambiguous step');
  it('S4-24 says that running it again may make it happen twice', () => {
    expect(turnOffers(mail).resume).toMatchObject({
      label: 'Send it again',
      effect:
        'send_email runs once more. If the first tool call did take effect, it happens twice.',
    });
  });
  it('does not warn of a duplicate where the tool takes a key', () => {
    const resume = turnOffers({ ...mail, ambiguous: [{ ...unknown, isIdempotent: true }] }).resume;
    expect(resume.effect).toContain('with the same idempotency key');
  });
  it('says how many run again where 2 are unknown', () => {
    expect(
      turnOffers({ ...mail, ambiguous: [unknown, { ...unknown, index: 9 }] }).resume.label,
    ).toBe('Run the 2 unknown steps again');
  });
  it.each([
    ['held', 'Resume'],
    ['stale', 'Resume'],
    ['parked', 'Try again'],
    ['limit', 'Raise the limit and resume'],
  ] as const)('offers for %s without unknown steps: %s', (kind, label) => {
    expect(turnOffers({ ...mail, kind, ambiguous: [] }).resume.label).toBe(label);
  });
  it('confirms and skips exactly the step that is shown', () => {
    const offers = stepOffers(unknown);
    expect(offers.confirm.answering).toEqual({ kind: 'confirm', step: 8 });
    expect(offers.skip.answering).toEqual({ kind: 'skip', step: 8 });
  });
  it.each([
    [true, true, 'has a status check and accepts an idempotency key'],
    [true, false, 'has a status check'],
    [false, true, 'accepts an idempotency key'],
    [false, false, 'has no status check'],
  ])('with status check %s and key %s says how to check', (hasStatusCheck, isIdempotent, text) => {
    expect(checkFirst({ ...unknown, hasStatusCheck, isIdempotent })).toContain(text);
  });
  it.each([
    ['environment', 'got an idempotency key in HOLDFAST_IDEMPOTENCY_KEY'],
    ['request', 'carried an idempotency key'],
    ['none', 'accepts no idempotency key'],
    [undefined, 'has no status check.'],
  ] as const)('S4-24 says of a call with its key in %s what is known of it', (keyIn, text) => {
    const said = checkFirst({
      ...unknown,
      hasStatusCheck: false,
      isIdempotent: false,
      keyIn,
    });
    expect(said).toContain(text);
    expect(said.includes('accepts no idempotency key')).toBe(keyIn === 'none');
  });
  it('S4-05 writes the plan as reused, asked again, your decision, to run', () => {
    expect(planLines(mail.plan).map((line) => line.label)).toEqual([
      '13 reused',
      '1 re-read',
      '1 for you to decide',
      '1 to run',
    ]);
    expect(planLines(mail.plan)[0]?.about).toContain('$0.17 saved');
    expect(planLines(mail.plan, 'mail.send_email')[2]?.about).toBe('marked as sent, or run again');
  });
  it('leaves empty lines of the plan out, but always says what will run', () => {
    const plan = { ...mail.plan, reused: 0, reissued: 0, ambiguous: [], toRun: 0 };
    expect(planLines(plan).map((line) => line.label)).toEqual(['0 to run']);
  });
});

describe('the step table', () => {
  const steps = seed.steps[7] ?? [];
  const stops = seed.stops[7] ?? [];
  it('puts the stop between the last step before and the first step after it', () => {
    const kinds = turnRows(steps, stops, NOW).map((row) =>
      row.kind === 'stop' ? 'stop' : row.step.index,
    );
    expect(kinds).toEqual([1, 2, 3, 4, 'stop', 5, 6, 7, 8]);
  });
  it('gives the true length of the stop, and no length while it is not back', () => {
    const [first] = turnRows([], [{ stoppedAtMs: 1000, backAtMs: 254_000, reason: 'crash' }], NOW);
    expect(first).toMatchObject({ kind: 'stop', downMs: 253_000 });
    const [open] = turnRows([], [{ stoppedAtMs: 1000, reason: 'crash' }], NOW);
    expect(open).not.toHaveProperty('downMs');
  });
  it('takes stops out of the bars: a night of sleep does not squash the work', () => {
    const one = { ...steps[0], index: 1, startedAtMs: 0, endedAtMs: 10_000 } as StepView;
    const two = {
      ...steps[0],
      index: 2,
      startedAtMs: 8 * 3_600_000,
      endedAtMs: 8 * 3_600_000 + 10_000,
    } as StepView;
    const rows = turnRows(
      [one, two],
      [{ stoppedAtMs: 10_000, backAtMs: 8 * 3_600_000, reason: 'crash' }],
      NOW,
    );
    const bars = rows.flatMap((row) => (row.kind === 'step' ? [row.bar] : []));
    expect(bars.map((bar) => Math.round(bar.leftPercent))).toEqual([0, 50]);
    expect(bars.map((bar) => Math.round(bar.widthPercent))).toEqual([50, 50]);
  });
  it('gives a step without an end no duration unless it runs', () => {
    const rows = turnRows(steps, stops, NOW);
    expect(rows.at(-1)).not.toHaveProperty('tookMs');
  });
  it('makes rows of 100,000 steps within 1 s', () => {
    const many = Array.from({ length: 100_000 }, (_, index) => ({
      ...(steps[0] as StepView),
      index: index + 1,
      startedAtMs: index * 10,
      endedAtMs: index * 10 + 5,
    }));
    const startMs = performance.now();
    expect(turnRows(many, [], NOW)).toHaveLength(100_000);
    expect(performance.now() - startMs).toBeLessThan(1000 * SLACK);
  });
  it.each([
    [{ state: 'ambiguous', fate: 'fresh' }, 'unknown'],
    [{ state: 'completed', fate: 'reused' }, 'reused'],
    [{ state: 'completed', fate: 'asked_again' }, 'ring'],
    [{ state: 'started', fate: 'cut_off' }, 'cut'],
    [{ state: 'started', fate: 'fresh' }, 'working'],
  ] as const)('draws %j as %s', (step, look) => {
    expect(barLook({ reusedCount: 0, ...step })).toBe(look);
  });
});

describe('the chat', () => {
  const events = seed.events[9] ?? [];
  it('gathers tool calls between two texts in one block', () => {
    expect(
      chatBlocks(events).map((block) =>
        block.kind === 'tools' ? `tools ${String(block.lines.length)}` : block.kind,
      ),
    ).toEqual(['message', 'answer', 'tools 4']);
  });
  it('shows a step once: a later event about it takes its place', () => {
    const done = { ...events[5], seq: 107, stepState: 'completed' } as SessionEvent;
    const block = chatBlocks([...events, done]).at(-1);
    expect(
      block?.kind === 'tools' ? block.lines.map((line) => [line.seq, line.stepState]) : [],
    ).toEqual([
      [103, 'completed'],
      [104, 'completed'],
      [105, 'completed'],
      [107, 'completed'],
    ]);
  });
  it('adds streamed pieces and withdraws all of them when the stream is cut', () => {
    const first = applyDelta(undefined, { turnId: 9, text: 'Hello ', isWithdrawn: false }, 106);
    const second = applyDelta(first, { turnId: 9, text: 'there', isWithdrawn: false }, 106);
    expect(second?.text).toBe('Hello there');
    expect(applyDelta(second, { turnId: 8, text: '', isWithdrawn: true }, 106)).toBe(second);
    expect(applyDelta(second, { turnId: 9, text: '', isWithdrawn: true }, 106)).toBeUndefined();
  });
  it('lets provisional text give way to what is on disk, and only to newer events of its turn', () => {
    const provisional = { turnId: 9, text: 'x', sinceSeq: 106 };
    const answer = { ...events[1], seq: 107 } as SessionEvent;
    expect(settleProvisional(provisional, events)).toBe(provisional);
    expect(settleProvisional(provisional, [...events, { ...answer, turnId: 8 }])).toBe(provisional);
    expect(settleProvisional(provisional, [...events, answer])).toBeUndefined();
  });
  it.each([
    ['Two of the twenty. The rest is', 'Two of the twenty.'],
    ['Version 1.5 is', ''],
    ['Done.', 'Done.'],
    ['no end yet', ''],
  ])('reads out finished sentences only: %j', (text, spoken) => {
    expect(finishedSentences(text)).toBe(spoken);
  });
  it('joins pages without repeating an event', () => {
    expect(joinPages(events.slice(0, 4), events.slice(2)).map((event) => event.seq)).toEqual([
      101, 102, 103, 104, 105, 106,
    ]);
  });
  it('drops the held part instead of hiding a hole in it', () => {
    const held = { events: events.slice(0, 2), hasMore: false };
    const page = { events: events.slice(4), hasMore: true };
    expect(holdNewest(held, page)).toBe(page);
    expect(holdNewest(held, { events: events.slice(1), hasMore: true }).events).toHaveLength(6);
  });
});

describe('settings', () => {
  const entryOf = (key: string) => {
    const found = seed.config.entries.find((entry) => entry.key === key);
    if (!found) throw new Error(key);
    return found;
  };
  it.each([
    ['app.theme', 'choice'],
    ['app.close_to_tray', 'switch'],
    ['limits.turn_steps', 'number'],
    ['limits.turn_time', 'text'],
    ['resilience.recovery.side_effect_tools', 'tags'],
  ])('edits %s with a %s', (key, kind) => {
    expect(controlOf(entryOf(key)).kind).toBe(kind);
  });
  it('keeps a duration that was written as a number in a text field', () => {
    expect(controlOf({ ...entryOf('limits.turn_time'), value: 90_000 })).toEqual({
      kind: 'text',
      value: '90000',
    });
  });
  it.each([
    ['cost', ['limits.turn_cost_usd', 'gateway.budget_usd_per_day']],
    ['keep TRAY window', ['app.close_to_tray']],
    ['recovery.max_attempts', ['resilience.recovery.max_attempts']],
    ['', []],
    ['no such thing', []],
  ])('finds for %j: %j', (search, keys) => {
    expect(findSettings(search, seed.config.entries).map((hit) => hit.key)).toEqual(keys);
  });
  it('knows where the file has no say', () => {
    expect(isOverridden(entryOf('resilience.recovery.max_age'))).toBe(true);
    expect(isOverridden(entryOf('app.theme'))).toBe(false);
  });
  it.each([
    [{ present: false, storage: 'none' }, 'No API key.'],
    [
      { present: true, last4: '7Qx2', storage: 'os-keyring' },
      'Key …7Qx2 is stored in the system keyring.',
    ],
    [
      { present: true, last4: '7Qx2', storage: 'session-only' },
      'Key …7Qx2 is stored in memory only, because this computer has no keyring. It is lost when Holdfast stops.',
    ],
    [
      { present: true, last4: '7Qx2', storage: 'plaintext-consented' },
      'Key …7Qx2 is stored unencrypted in a file that only you can read, as you allowed.',
    ],
  ] as const)('K1 K2 K3 says for %j: %s', (key, text) => {
    expect(keySentence(key)).toBe(text);
  });
  it('switches one tool and leaves the others in their order', () => {
    expect(toggled(['a', 'b', 'c'], 'b', false)).toEqual(['a', 'c']);
    expect(toggled(['a'], 'b', true)).toEqual(['a', 'b']);
    expect(toggled(['a'], 'a', true)).toEqual(['a']);
  });
});

describe('the practice story', () => {
  const turn = seed.turns.find((one) => one.id === 7);
  if (!turn) throw new Error('the seed has no turn 7');
  const shown = (state: typeof turn.state, stops: (typeof seed.stops)[number]) => ({
    turn: { ...turn, state },
    prompt: '',
    isPromptTruncated: false,
    steps: [],
    stops,
  });
  const stop = { stoppedAtMs: 1000, backAtMs: 2200, reason: 'kill' };
  it.each([
    ['running', [], { kind: 'runs' }],
    ['queued', [], { kind: 'waits', isDown: false }],
    ['waiting', [], { kind: 'waits', isDown: true }],
    ['completed', [], { kind: 'finished' }],
    ['running', [stop], { kind: 'wentOn', isDone: false, downMs: 1200 }],
    ['completed', [stop], { kind: 'wentOn', isDone: true, downMs: 1200 }],
    ['held', [stop], { kind: 'asks', isUnknown: false }],
    ['failed', [], { kind: 'ended', state: 'failed' }],
  ] as const)('a %s turn with stops %j is %j', (state, stops, story) => {
    expect(practiceStory(shown(state, [...stops]))).toEqual(story);
  });
  it('S0-11 tells a hold for a step with an unknown result from one by the recovery mode', () => {
    const steps = seed.steps[7] ?? [];
    const unknown = steps.map((step) => ({ ...step, state: 'ambiguous' as const }));
    expect(practiceStory({ ...shown('held', [stop]), steps: unknown })).toEqual({
      kind: 'asks',
      isUnknown: true,
    });
  });
  it('S3-07 tells a practice that asks before it deletes, also after a kill in between', () => {
    expect(practiceStory(shown('requires_action', []))).toEqual({
      kind: 'approval',
      wasKilled: false,
    });
    expect(practiceStory(shown('requires_action', [stop]))).toEqual({
      kind: 'approval',
      wasKilled: true,
    });
  });
  it('counts from the journal: 3 reused, 1 asked again, 1 run again, 2 effects, 1 question', () => {
    expect(practiceCounts(seed.steps[7] ?? [], 7, seed.decisions)).toEqual({
      reused: 3,
      askedAgain: 1,
      ranAgain: 1,
      writes: 2,
      questions: 1,
    });
    const [first] = seed.steps[7] ?? [];
    expect(first && practiceCounts([{ ...first, fate: 'run_again' }], 7, [])).toMatchObject({
      askedAgain: 0,
      ranAgain: 1,
    });
  });
});
