import { describe, expect, it } from 'vitest';
import {
  decideLanding,
  decisionToOpen,
  type LandingFacts,
} from '../../../electron/shell/windows/decide-landing';
import { readShellState } from '../../../electron/shell/shell-state';

const item = (
  id: number,
  kind: LandingFacts['waiting'][number]['kind'],
  createdAtMs = id,
  sessionId = 2,
): LandingFacts['waiting'][number] => ({ id, kind, createdAtMs, sessionId });

const facts: LandingFacts = {
  asked: '/',
  isFirstOpening: true,
  isFirstStartDone: true,
  restart: 'kill',
  waiting: [],
  practiceSessionId: 1,
  hasOtherTurns: true,
  place: undefined,
};
const story = { route: '/welcome' };
const ownKill = { ...story, isOwnKill: true };

describe('F2 where the window opens', () => {
  it.each<[string, Partial<LandingFacts>, string, boolean]>([
    [
      'a first start: the story',
      { restart: 'first_start', isFirstStartDone: false, hasOtherTurns: false },
      '/welcome',
      false,
    ],
    ['a clean start: Home', { restart: 'clean', place: { route: '/sessions/3' } }, '/', false],
    [
      'a shutdown of the computer: Home',
      { restart: 'os_shutdown', place: { route: '/agents' } },
      '/',
      false,
    ],
    ['a kill: where the person was', { place: { route: '/sessions/3' } }, '/sessions/3', false],
    [
      'a crash: where the person was',
      { restart: 'crash', place: { route: '/schedule/new' } },
      '/schedule/new',
      false,
    ],
    [
      'a power cut: where the person was',
      { restart: 'power_loss', place: { route: '/turns/9' } },
      '/turns/9',
      false,
    ],
    [
      'a stop that was cut off: where the person was',
      { restart: 'stop_cut_off', place: { route: '/agents' } },
      '/agents',
      false,
    ],
    ['a kill with nobody at a page: Home', {}, '/', false],
    [
      'a decision before the place',
      { waiting: [item(7, 'replay_decision')], place: { route: '/agents' } },
      '/decisions/item-7',
      false,
    ],
    [
      'an approval before the place',
      { waiting: [item(7, 'approval')], place: { route: '/agents' } },
      '/decisions/item-7',
      false,
    ],
    [
      'no notice before the place',
      { waiting: [item(7, 'problem')], place: { route: '/agents' } },
      '/agents',
      false,
    ],
    [
      'a decision never without a crash',
      { restart: 'clean', waiting: [item(7, 'replay_decision')] },
      '/',
      false,
    ],
    [
      'a window that is opened again: Home',
      { isFirstOpening: false, waiting: [item(7, 'approval')], place: { route: '/agents' } },
      '/',
      false,
    ],
    [
      'a link before everything',
      { asked: '/turns/4', waiting: [item(7, 'approval')] },
      '/turns/4',
      false,
    ],
    [
      'the story after its own kill',
      { isFirstStartDone: false, hasOtherTurns: false, place: ownKill },
      '/welcome',
      false,
    ],
    [
      'the story after its own kill, beside its own question',
      {
        isFirstStartDone: false,
        hasOtherTurns: false,
        place: ownKill,
        waiting: [item(7, 'approval', 7, 1)],
      },
      '/welcome',
      false,
    ],
    [
      'the story after its own kill, beside other turns that need nobody',
      { isFirstStartDone: false, place: ownKill },
      '/welcome',
      false,
    ],
    [
      'a question of another session before the story after its own kill',
      {
        isFirstStartDone: false,
        place: ownKill,
        waiting: [item(7, 'approval', 7, 1), item(6, 'replay_decision')],
      },
      '/decisions/item-6',
      true,
    ],
    [
      'no story after a kill from outside, once there is another turn',
      { isFirstStartDone: false, place: story },
      '/',
      true,
    ],
    [
      'the story after a kill from outside, while there is no other',
      { isFirstStartDone: false, hasOtherTurns: false, place: story },
      '/welcome',
      false,
    ],
    [
      'a question of the story after a kill from outside',
      {
        isFirstStartDone: false,
        hasOtherTurns: false,
        place: { route: '/decisions/1' },
        waiting: [item(7, 'approval', 7, 1)],
      },
      '/decisions/item-7',
      false,
    ],
    [
      'no story on a clean start, once there is another turn',
      { restart: 'clean', isFirstStartDone: false },
      '/',
      true,
    ],
    ['no story that is over, where the person was', { place: story }, '/', false],
    [
      'a link out of the story ends it',
      { asked: '/decisions/1', isFirstStartDone: false, hasOtherTurns: false, place: story },
      '/decisions/1',
      true,
    ],
    [
      'a link before the story was seen does not end it',
      {
        asked: '/decisions/1',
        restart: 'first_start',
        isFirstStartDone: false,
        hasOtherTurns: false,
      },
      '/decisions/1',
      false,
    ],
  ])('%s', (_name, over, route, isStoryOver) => {
    expect(decideLanding({ ...facts, ...over })).toEqual({ route, isStoryOver });
  });

  it('brings the scrolled part of the page back with the page, and of no other page', () => {
    const place = { route: '/sessions/3', box: 'chat', top: 420 } as const;
    expect(decideLanding({ ...facts, place })).toEqual({ ...place, isStoryOver: false });
    // A page that died alone is loaded again where it stands.
    expect(decideLanding({ ...facts, isFirstOpening: false, asked: '/sessions/3', place })).toEqual(
      { ...place, isStoryOver: false },
    );
    expect(decideLanding({ ...facts, asked: '/sessions/4', place })).toEqual({
      route: '/sessions/4',
      isStoryOver: false,
    });
  });

  it('opens what a crash has cut off before a question, and of those the newest', () => {
    expect(
      decisionToOpen([
        item(1, 'replay_decision', 10),
        item(2, 'replay_decision', 20),
        item(3, 'approval', 30),
        item(4, 'limit', 40),
        item(5, 'problem', 50),
      ])?.id,
    ).toBe(2);
    expect(decisionToOpen([item(3, 'approval', 30), item(4, 'limit', 40)])?.id).toBe(3);
    expect(decisionToOpen([item(8, 'approval', 30), item(9, 'approval', 30)])?.id).toBe(9);
    expect(decisionToOpen([item(5, 'problem')])).toBeUndefined();
  });
});

describe('F2 the page that the person was on, as the file says it', () => {
  const read = (place: unknown) => readShellState(JSON.stringify({ place })).place;
  it('reads a page of ours with its scrolled part', () => {
    expect(read({ route: '/sessions/3', box: 'chat', top: 12 })).toEqual({
      route: '/sessions/3',
      box: 'chat',
      top: 12,
    });
    expect(read({ route: '/welcome', isOwnKill: true })).toEqual({
      route: '/welcome',
      isOwnKill: true,
    });
  });
  it.each([
    ['no object', 7],
    ['an address', { route: 'https://example.com' }],
    ['a script', { route: 'javascript:alert(1)' }],
    ['no route', { box: 'chat', top: 1 }],
  ])('takes nothing from %s', (_name, place) => expect(read(place)).toBeUndefined());
  it.each([
    ['an unknown part', { box: 'body', top: 1 }],
    ['a negative top', { box: 'chat', top: -1 }],
    ['no number', { box: 'chat', top: 'far' }],
  ])('opens the page at its beginning for %s', (_name, part) =>
    expect(read({ route: '/agents', ...part })).toEqual({ route: '/agents' }),
  );
});
