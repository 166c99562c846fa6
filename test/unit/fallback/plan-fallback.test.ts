import { describe, expect, it } from 'vitest';
import type { HealthState } from '../../../electron/ports/journal/outage';
import {
  decideFallback,
  type Candidate,
  type FallbackDecision,
  type FallbackFacts,
} from '../../../electron/engine/fallback/plan-fallback';

const NOW = 1_000_000;
const AFTER = 120_000;
const first: Candidate = { isOpen: false, isSameVendor: true };
const sameVendor: Candidate = { isOpen: true, isSameVendor: true };
const other: Candidate = { isOpen: true, isSameVendor: false };
const shut: Candidate = { isOpen: false, isSameVendor: false };
const down: HealthState = { kind: 'down', outageId: 1, sinceMs: NOW - AFTER };
const quota: HealthState = {
  kind: 'quota',
  cause: 'quota',
  sinceMs: NOW - AFTER,
  untilMs: NOW + 3_600_000,
};

const decide = (facts: Partial<FallbackFacts>): FallbackDecision =>
  decideFallback({
    mode: 'auto',
    candidates: [first, other],
    current: 0,
    healthState: down,
    nowMs: NOW,
    afterMs: AFTER,
    answer: undefined,
    ...facts,
  });

const stay: FallbackDecision = { kind: 'stay' };
const go: FallbackDecision = { kind: 'go', to: 1 };
const ask: FallbackDecision = { kind: 'ask', to: 1 };

describe('what a waiting turn does', () => {
  it.each<[string, Partial<FallbackFacts>, FallbackDecision]>([
    ['an outage that lasts 2 min', {}, go],
    ['a limit that lasts 2 min', { healthState: quota }, go],
    ['a rejected key', { healthState: { kind: 'key', sinceMs: 0 } }, stay],
    ['failures that are no outage yet', { healthState: { kind: 'answering' } }, stay],
    [
      'a provider that answers again',
      { healthState: { kind: 'recovering', outageId: 1, sinceMs: 0 } },
      stay,
    ],
    ['turns that resume in order', { healthState: { kind: 'draining', ramp: 1 } }, stay],
    ['no fallback', { candidates: [first] }, stay],
    ['one that is down as well', { candidates: [first, shut] }, stay],
  ])('FB-01 %s', (_name, facts, decision) => {
    expect(decide(facts)).toEqual(decision);
  });

  it.each<[string, Candidate[], number, FallbackDecision]>([
    ['the first of the list', [first, other, other], 0, go],
    ['the next if that is down', [first, shut, other], 0, { kind: 'go', to: 2 }],
    ['a later one if its fallback is down as well', [first, shut, other], 1, { kind: 'go', to: 2 }],
    ['none if it was the last, though the first is back', [other, shut], 1, stay],
    ['never one before it', [other, other, shut], 2, stay],
  ])('FB-01 FB-04 it goes on with %s', (_name, candidates, current, decision) => {
    expect(decide({ candidates, current })).toEqual(decision);
  });

  it.each<[FallbackFacts['mode'], Candidate, FallbackFacts['answer'], FallbackDecision]>([
    ['by_vendor', sameVendor, undefined, go],
    ['by_vendor', other, undefined, ask],
    ['by_vendor', other, 'yes', go],
    ['by_vendor', other, 'no', stay],
    ['ask', sameVendor, undefined, ask],
    ['ask', other, 'yes', go],
    ['auto', other, undefined, go],
    ['auto', sameVendor, 'no', stay],
    ['off', sameVendor, undefined, stay],
    ['off', other, 'yes', stay],
  ])('FB-02 mode %s, candidate %j, answer %s: %j', (mode, candidate, answer, decision) => {
    expect(decide({ mode, candidates: [first, candidate], answer })).toEqual(decision);
  });

  it.each<[string, Partial<FallbackFacts>, FallbackDecision]>([
    ['before fallback.after', { nowMs: NOW - 1, answer: 'yes' }, { kind: 'later', atMs: NOW }],
    ['a new turn of an outage that lasts longer', { nowMs: NOW + AFTER }, go],
    [
      'a limit that ends before that',
      { healthState: { ...quota, untilMs: NOW - 1_000 }, nowMs: NOW - 2_000 },
      stay,
    ],
    [
      'a limit that ends just after that',
      { healthState: { ...quota, untilMs: NOW + 1 }, nowMs: NOW - 1 },
      { kind: 'later', atMs: NOW },
    ],
    ['with fallback.after 0', { nowMs: NOW - AFTER, afterMs: 0 }, go],
  ])('FB-02 %s', (_name, facts, decision) => {
    expect(decide(facts)).toEqual(decision);
  });
});
