// @vitest-environment happy-dom
import { act, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { RecoveryWindow } from '../../renderer/recovery-window';
import type { VerbInput, VerbOutput } from '../../shared/contract';
import type { FarEvent, HostView } from '../../shared/types';
import { farEvent, farSession, farStep } from '../helpers/far-asks';
import './each-page';
import { axeFindings, command, show } from './render';
import type { Shown } from './render';

const up: HostView = {
  kind: 'connected',
  name: 'box',
  sinceMs: 1,
  version: '1.0.0',
  phase: 'running',
  needsYou: 0,
  running: 0,
};
const away: HostView = {
  kind: 'unreachable',
  name: 'box',
  sinceMs: 1,
  why: 'The connection failed: refused',
  nextTryAtMs: 2,
};
type TranscriptAnswer = VerbOutput<'hosts.transcript'>;
const event = (seq: number, more: Partial<FarEvent> = {}): FarEvent => ({
  seq,
  sessionId: 4,
  type: 'agent.message',
  atMs: 1_000 + seq,
  isPending: false,
  text: `Line ${String(seq)}.`,
  isTruncated: false,
  ...more,
});
const told = (events: readonly FarEvent[], more: object = {}): TranscriptAnswer =>
  ({ kind: 'told', session: farSession, events, hidden: 0, ...more }) as TranscriptAnswer;

const open = (answer: (input: VerbInput<'hosts.transcript'>) => TranscriptAnswer): Shown => {
  window.location.hash = '#/sessions/on-box-4';
  return show(
    <RecoveryWindow />,
    (seed) => {
      seed.status = { ...seed.status, hosts: [up] };
    },
    (fake) => fake.answer('hosts.transcript', answer),
  );
};
const chat = (): Promise<HTMLElement> => screen.findByRole('region', { name: 'Conversation' });
const hostNow = ({ fake }: Shown, host: HostView): void =>
  act(() =>
    fake.emit('status.changed', {
      ...fake.seed.status,
      nowMs: fake.seed.status.nowMs + 1,
      hosts: [host],
    }),
  );

describe('the conversation of a session of another computer', () => {
  it('HO-02 shows prompts, tool calls and answers read only, its facts, and the commands that work with it there', async () => {
    const { container, fake } = open(() =>
      told([
        event(10, { type: 'user.message', text: 'Feed the walrus' }),
        { ...farEvent, seq: 11 },
        event(12, { text: 'The **walrus** is fed.' }),
      ]),
    );
    const talk = within(await chat());
    expect(await talk.findByText('Feed the walrus')).toBeTruthy();
    expect(talk.getByText('walrus').tagName).toBe('STRONG');
    const call = talk.getByRole('button', { name: /shell.*feed walrus/ });
    // Nobody has opened it: nothing is asked for it.
    expect(call.getAttribute('aria-expanded')).toBe('false');
    expect(fake.callsOf('hosts.step')).toEqual([]);
    expect(screen.getByRole('heading', { level: 1, name: 'Clean up the build' })).toBeTruthy();
    expect(container.querySelector('.turn-facts')?.textContent).toContain('3 turns');
    expect(screen.getByText(command('holdfast send "…" --session night --host box'))).toBeTruthy();
    expect(screen.queryByText(/sessions events/)).toBeNull();
    expect(screen.queryByRole('textbox')).toBeNull();
    expect(talk.queryByRole('button', { name: 'Show earlier messages' })).toBeNull();
    // The conversation is enough: the list of sessions is not asked for.
    expect(fake.callsOf('hosts.sessions')).toEqual([]);
    expect(await axeFindings(container)).toEqual([]);
  });

  it('HO-02 what was before is read when asked for, one part at a time, until its beginning; why it is not is said', async () => {
    let fails = true;
    const shown = open(({ beforeSeq }) => {
      if (beforeSeq === undefined) return told([event(30), event(31)], { nextBefore: 30 });
      if (fails) return { kind: 'untold', why: 'box did not respond in time.' };
      return beforeSeq === 30
        ? told([event(20)], { nextBefore: 20 })
        : told([event(5, { text: 'The very first.' })], { hidden: 2 });
    });
    const earlier = () => screen.findByRole('button', { name: 'Show earlier messages' });
    await shown.user.click(await earlier());
    expect(await screen.findByText('box did not respond in time.')).toBeTruthy();
    fails = false;
    await shown.user.click(await earlier());
    expect(await screen.findByText('Line 20.')).toBeTruthy();
    expect(screen.queryByText('box did not respond in time.')).toBeNull();
    await shown.user.click(await earlier());
    expect(await screen.findByText('The very first.')).toBeTruthy();
    const list = (await chat()).textContent;
    expect(list.indexOf('first')).toBeLessThan(list.indexOf('Line 20'));
    expect(list.indexOf('Line 20')).toBeLessThan(list.indexOf('Line 31'));
    expect(screen.queryByRole('button', { name: 'Show earlier messages' })).toBeNull();
    expect(await screen.findByText(/^2 entries are not shown/)).toBeTruthy();
  });

  it('HO-02 after a cut what was read stays, said to be old, and a new connection brings the rest, asked for once', async () => {
    let events = [event(10)];
    const shown = open(() => told(events));
    expect(await screen.findByText('Line 10.')).toBeTruthy();
    hostNow(shown, away);
    expect(await screen.findByText(/refused\. This was read earlier\./)).toBeTruthy();
    expect(screen.getByText('Line 10.')).toBeTruthy();
    events = [event(10), event(11)];
    hostNow(shown, { ...up, sinceMs: 9 });
    expect(await screen.findByText('Line 11.')).toBeTruthy();
    expect(screen.queryByText(/read before/)).toBeNull();
    await new Promise((resolve) => setTimeout(resolve, 1_800));
    expect(shown.fake.callsOf('hosts.transcript').length).toBe(2);
    events = [event(10), event(11), event(12)];
    hostNow(shown, { ...up, sinceMs: 9, running: 1 });
    await waitFor(() => expect(screen.getByText('Line 12.')).toBeTruthy(), { timeout: 50_000 });
  });

  it('HO-02 an answer that comes while the page is open is read out, once and as text; what was there before is not', async () => {
    let events: readonly FarEvent[] = [event(10), event(11, { type: 'user.message' })];
    const shown = open(({ beforeSeq }) =>
      beforeSeq === undefined ? told(events, { nextBefore: 10 }) : told([event(5)]),
    );
    const live = (): string =>
      shown.container.querySelector('.far-session [aria-live="polite"]')?.textContent ?? 'none';
    expect(await screen.findByText('Line 10.')).toBeTruthy();
    expect(live()).toBe('');
    await shown.user.click(await screen.findByRole('button', { name: 'Show earlier messages' }));
    expect(await screen.findByText('Line 5.')).toBeTruthy();
    expect(live()).toBe('');
    events = [...events, event(12, { text: 'Fed.\n\nAll 3 <b>walruses</b>.' })];
    hostNow(shown, { ...up, running: 1 });
    await waitFor(() => expect(live()).toBe('Fed. All 3 <b>walruses</b>.'), { timeout: 50_000 });
    expect(shown.container.querySelector('[aria-live] b')).toBeNull();
  });

  it('HO-02 where nothing is known the reason and the command that reads it stand there, and no empty conversation', async () => {
    open(() => ({ kind: 'untold', why: 'There is no session 4' }));
    expect(
      await screen.findByText('There is no session 4. The conversation on box cannot be read now.'),
    ).toBeTruthy();
    expect(
      screen.getByText(command('holdfast sessions events 4 --follow --host box')),
    ).toBeTruthy();
    expect(screen.queryByRole('region', { name: 'Conversation' })).toBeNull();
  });

  it('HO-03 hostile texts of a host stay text', async () => {
    const evil = '<img src=x onerror=alert(1)>\u202e ![p](https://evil.example/p.png)';
    const { container } = open(() =>
      told([
        event(10, { type: 'user.message', text: evil }),
        { ...farEvent, seq: 11, text: evil, tool: evil },
        event(12, { text: evil }),
        event(13, { type: 'user.interrupt', text: evil }),
      ]),
    );
    await chat();
    await waitFor(() =>
      expect(container.querySelector('.chat')?.textContent.match(/onerror/g)?.length).toBe(5),
    );
    expect(container.querySelector('img, .chat a[href]')).toBeNull();
    expect(container.textContent).not.toContain('\u202e');
  });

  describe('a tool call', () => {
    type Step = VerbOutput<'hosts.step'>;
    const openCall = async (answer: () => Step, more: Partial<FarEvent> = {}) => {
      const shown = open(() => told([{ ...farEvent, ...more }]));
      shown.fake.answer('hosts.step', answer);
      const row = await screen.findByRole('button', { name: /shell.*feed walrus/ });
      await shown.user.click(row);
      return { ...shown, row, asked: () => shown.fake.callsOf('hosts.step') };
    };
    const ofStep = (more: object = {}): Step =>
      ({ kind: 'told', step: { ...farStep, ...more } }) as Step;
    const newsOf = ({ fake }: Pick<Shown, 'fake'>): void =>
      act(() => fake.emit('hosts.news', { host: 'box' }));

    it('HO-02 opens with the input and the output that its computer tells, never with a step of this one, and is asked for once', async () => {
      const shown = await openCall(() => ofStep({ approvedBy: 'window' }));
      expect(await screen.findByText(/It ate 12 herrings/)).toBeTruthy();
      expect(screen.getByText('exit code 0')).toBeTruthy();
      expect(screen.getByText(/^Approved/)).toBeTruthy();
      expect(shown.asked()).toEqual([{ host: 'box', turnId: 9, step: 2 }]);
      expect(shown.fake.callsOf('turns.step')).toEqual([]);
      expect(screen.queryByRole('link', { name: /Open turn/ })).toBeNull();
      newsOf(shown);
      await new Promise((resolve) => setTimeout(resolve, 1_700));
      expect(shown.asked()).toHaveLength(1);
      expect(await axeFindings(shown.container)).toEqual([]);
    });

    it('HO-02 one that runs shows what it has printed so far, and its end when that is told', async () => {
      let step = ofStep({ endedAtMs: undefined, result: undefined, output: 'Opening the tin' });
      const shown = await openCall(() => step, { stepState: 'started', endedAtMs: undefined });
      expect(await screen.findByText('Opening the tin')).toBeTruthy();
      expect(screen.getByText('Output so far')).toBeTruthy();
      step = ofStep();
      newsOf(shown);
      expect(await screen.findByText(/It ate 12 herrings/, {}, { timeout: 50_000 })).toBeTruthy();
      expect(screen.queryByText('Output so far')).toBeNull();
    });

    it('HO-02 of a long one it says that there is more, and how to read that', async () => {
      await openCall(() => ofStep({ result: 'x'.repeat(4_000), isTruncated: true }));
      expect(await screen.findByText(/too long to show here/)).toBeTruthy();
      expect(screen.getByText(command('holdfast turns step 9 2 --full --host box'))).toBeTruthy();
    });

    it('HO-02 what is not known of it is said, without a connection as well', async () => {
      const shown = await openCall(() => ({ kind: 'untold', why: 'box did not respond in time.' }));
      expect(await screen.findByText('box did not respond in time.')).toBeTruthy();
      expect(screen.queryByText('Output')).toBeNull();
      await shown.user.click(shown.row);
      hostNow(shown, away);
      await shown.user.click(shown.row);
      expect(await screen.findByText(/cannot be read now: box is not connected/)).toBeTruthy();
    });
  });
});
