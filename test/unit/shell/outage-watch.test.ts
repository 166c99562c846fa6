import { describe, expect, it } from 'vitest';
import type { ProviderState } from '../../../shared/types/outage';
import type { StatusSnapshot } from '../../../shared/types';
import { createOutageWatch } from '../../../electron/shell/notices/outage-watch';
import type { OutageWatch } from '../../../electron/shell/notices/outage-watch';

const MINUTE = 60_000;
const START = Date.UTC(2026, 2, 24, 14, 0);

type Facts = Parameters<OutageWatch['look']>[0];
const facts = (
  minute: number,
  states: Readonly<Record<string, ProviderState>>,
  delivery?: StatusSnapshot['delivery'],
): Facts => ({
  nowMs: START + minute * MINUTE,
  outside: {
    providers: Object.entries(states).map(([provider, state]) => ({
      provider,
      state,
      waiting: 1,
      sentence: '',
    })),
    openBreakers: [],
  },
  ...(delivery === undefined ? {} : { delivery }),
});
const titles = (watch: OutageWatch, given: Facts): readonly string[] =>
  watch.look(given).map(({ title }) => title);
const begun = (first: Facts = facts(0, {})): OutageWatch => {
  const watch = createOutageWatch();
  watch.look(first);
  return watch;
};

describe('notices of outages', () => {
  it('S0-17 tells once that a provider is down, not at each of its tries', () => {
    const watch = begun();
    expect(watch.look(facts(1, { anthropic: 'down' }))).toEqual([
      {
        key: 'outage:anthropic',
        kind: 'outage',
        title: 'Anthropic is down',
        body: 'New turns are queued. Holdfast checks it automatically.',
        route: '/outages/anthropic',
      },
    ]);
    for (const state of ['trying', 'down', 'recovering', 'trying'] as const) {
      expect(watch.look(facts(2, { anthropic: state }))).toEqual([]);
    }
  });

  it('S0-17 an external agent that is down is told by its display name', () => {
    const watch = createOutageWatch((agent) => (agent === 'mender' ? 'Repo mender' : agent));
    watch.look(facts(0, {}));
    expect(titles(watch, facts(1, { 'agent.mender': 'down' }))).toEqual([
      'Agent Repo mender is down',
    ]);
  });

  it('S0-20 tells once that it is over, under the same key, with how long it took', () => {
    const watch = begun();
    watch.look(facts(1, { anthropic: 'down' }));
    expect(watch.look(facts(25, {}))).toEqual([
      {
        key: 'outage:anthropic',
        kind: 'outage',
        title: 'Anthropic is back',
        body: 'Down 24 min. Queued turns resume in order.',
        route: '/outages',
      },
    ]);
    expect(watch.look(facts(26, {}))).toEqual([]);
  });

  it('S0-20 tells no return of a provider that was removed from the settings while it was down', () => {
    const watch = createOutageWatch(undefined, (provider) => provider !== 'anthropic');
    watch.look(facts(0, {}));
    watch.look(facts(1, { anthropic: 'down', openai: 'down' }));
    expect(titles(watch, facts(9 * 60_000, {}))).toEqual(['OpenAI is back']);
  });

  it('S0-17 tells one pair in 30 min where a provider comes and goes, and the next after them', () => {
    const watch = begun();
    const said = [1, 2, 3, 4, 29, 30, 31, 32].flatMap((minute) =>
      titles(watch, facts(minute, minute % 2 === 1 ? { office: 'down' } : {})),
    );
    expect(said).toEqual(['Office is down', 'Office is back', 'Office is down', 'Office is back']);
  });

  it('S0-17 takes an outage that was there at the start for known, and tells its end', () => {
    const watch = begun(facts(0, { office: 'down' }));
    expect(titles(watch, facts(1, { office: 'trying' }))).toEqual([]);
    expect(titles(watch, facts(90, {}))).toEqual(['Office is back']);
  });

  it('S0-15 tells of a refused key in its own words, once until it was changed', () => {
    const watch = begun();
    expect(titles(watch, facts(1, { google: 'key' }))).toEqual(['Google rejected the API key']);
    expect(titles(watch, facts(2, { google: 'key' }))).toEqual([]);
    expect(titles(watch, facts(3, {}))).toEqual([]);
    expect(titles(watch, facts(4, { google: 'key' }))).toEqual(['Google rejected the API key']);
  });

  it('S0-14 tells nothing of a limit that is used up, nor of single failures', () => {
    const watch = begun();
    expect(titles(watch, facts(1, { google: 'quota', office: 'failing' }))).toEqual([]);
  });

  it('S2-16 leads to all of them where a name does not fit into an address', () => {
    const watch = begun();
    expect(watch.look(facts(1, { 'Office proxy': 'down' }))[0]?.route).toBe('/outages');
  });

  it('S2-16 keeps two providers apart', () => {
    const watch = begun();
    expect(titles(watch, facts(1, { one: 'down', two: 'down' }))).toHaveLength(2);
    expect(titles(watch, facts(40, { two: 'down' }))).toEqual(['One is back']);
  });
});

describe('notices of events', () => {
  const delivery = (deadLetters: number, shed = 0): NonNullable<StatusSnapshot['delivery']> => ({
    broker: 'connected',
    depth: 0,
    deadLetters,
    shed,
  });
  const look = (watch: OutageWatch, dead: number, shed = 0): readonly string[] =>
    titles(watch, facts(1, {}, delivery(dead, shed)));

  it('S2-35 tells of a dead letter, of 2 more, and not again of the same', () => {
    const watch = begun();
    expect(look(watch, 1)).toEqual(['An event couldn’t be delivered']);
    expect(look(watch, 1)).toEqual([]);
    expect(look(watch, 3)).toEqual(['2 events couldn’t be delivered']);
    expect(look(watch, 0)).toEqual([]);
  });

  it('S2-38 announces shedding once, however many events are shed', () => {
    const watch = begun();
    expect(look(watch, 1, 1)).toEqual(['The event queue is full']);
    expect(look(watch, 50, 50)).toEqual([]);
  });

  it('S2-35 says nothing of letters that were there at the start', () => {
    const watch = begun(facts(0, {}, delivery(4)));
    expect(look(watch, 4)).toEqual([]);
  });
});
