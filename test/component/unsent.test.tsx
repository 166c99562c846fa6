// @vitest-environment happy-dom
/** F1: what is typed and not sent, in the real fields; F2: where the window opens and what it says. */
import { cleanup, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NewAgentForm } from '../../renderer/agents/agent-form';
import { AskBox } from '../../renderer/ask-box';
import { RecoveryWindow } from '../../renderer/recovery-window';
import { TaskFormPage } from '../../renderer/schedule/task-form';
import { ChannelForm } from '../../renderer/settings/channel-form';
import { ProviderForm } from '../../renderer/settings/providers-section';
import { SettleAtStop } from '../../renderer/unsent/use-unsent';
import { axeFindings, show } from './render';
import type { Shown } from './render';

beforeEach(() => {
  window.location.hash = '';
});
afterEach(cleanup);

const box = <AskBox field="session/3" session="reading" placeholder="Ask" sendLabel="Send" />;
const field = (): Promise<HTMLTextAreaElement> => screen.findByRole('textbox', { name: 'Ask' });
const keptOf = (shown: Shown, name: string): unknown =>
  shown.fake.callsOf('unsent.keep').findLast((call) => (call as { field: string }).field === name);

describe('F1 a field', () => {
  it('says that it is kept only when it is on disk, and hands what it sends to the commit that accepts it', async () => {
    const shown = show(box);
    const writeToDisk = shown.fake.hold('unsent.keep');
    await shown.user.type(await field(), 'Hello');
    await waitFor(() => expect(keptOf(shown, 'session/3')).toBeDefined());
    expect(screen.queryByText('Saved, not sent')).toBeNull();
    writeToDisk();
    await screen.findByText('Saved, not sent');
    expect(keptOf(shown, 'session/3')).toMatchObject({ text: 'Hello' });
    await shown.user.click(screen.getByRole('button', { name: 'Send' }));
    await waitFor(() => expect(shown.fake.callsOf('send')).toHaveLength(1));
    const { rev } = keptOf(shown, 'session/3') as { rev: number };
    expect(shown.fake.callsOf('send')).toMatchObject([
      { text: 'Hello', unsent: { field: 'session/3', rev } },
    ]);
    await waitFor(async () => expect((await field()).value).toBe(''));
    expect(screen.queryByText('Saved, not sent')).toBeNull();
    expect(await axeFindings(shown.container)).toEqual([]);
  });

  it('is written at once when its page goes, and stands there when it comes back', async () => {
    const shown = show(box);
    await shown.user.type(await field(), 'Half a thought');
    cleanup();
    await waitFor(() =>
      expect(keptOf(shown, 'session/3')).toMatchObject({ text: 'Half a thought' }),
    );
    const next = show(box, undefined, (fake) =>
      fake.answer('unsent.read', () => ({ kept: { text: 'Half a thought', rev: 9 } })),
    );
    await waitFor(async () => expect((await field()).value).toBe('Half a thought'));
    expect(screen.getByText('Saved, not sent')).toBeTruthy();
    expect(next.fake.callsOf('unsent.keep')).toEqual([]);
  });

  it('keeps its text, and says so, where the engine does not accept it', async () => {
    const shown = show(box, undefined, (fake) =>
      fake.refuse('send', 'DISK_FULL', 'The disk is full.'),
    );
    await shown.user.type(await field(), 'Hello');
    await shown.user.click(screen.getByRole('button', { name: 'Send' }));
    await screen.findByText('The disk is full.');
    expect((await field()).value).toBe('Hello');
    await screen.findByText('Saved, not sent');
  });

  it('says where the disk does not take it that a crash would lose it', async () => {
    const shown = show(box, undefined, (fake) =>
      fake.refuse('unsent.keep', 'DISK_FULL', 'The disk is full.'),
    );
    await shown.user.type(await field(), 'Hello');
    await screen.findByText(/This text can’t be saved to disk/);
    shown.fake.allow('unsent.keep');
    await screen.findByText('Saved, not sent');
  });

  it('is written before a stop goes on, and the stop is told so', async () => {
    const shown = show(
      <>
        <SettleAtStop />
        {box}
      </>,
    );
    await shown.user.type(await field(), 'Hello');
    shown.fake.emit('status.changed', { ...shown.fake.seed.status, phase: 'stopping' });
    await waitFor(() => expect(shown.fake.callsOf('app.settled')).toEqual([{}]));
    const verbs = shown.fake.calls.map(({ verb }) => verb);
    expect(verbs.lastIndexOf('unsent.keep')).toBeLessThan(verbs.indexOf('app.settled'));
    expect(keptOf(shown, 'session/3')).toMatchObject({ text: 'Hello' });
  });
});

describe('F1 a form', () => {
  it('of a task comes back with all its fields, and is gone after Cancel', async () => {
    const kept = JSON.stringify({
      name: 'Digest',
      prompt: 'Sum up',
      schedule: 'every 30m',
      catchup: 'never',
    });
    const shown = show(<TaskFormPage />, undefined, (fake) =>
      fake.answer('unsent.read', () => ({ kept: { text: kept, rev: 9 } })),
    );
    expect(await screen.findByDisplayValue('Digest')).toBeTruthy();
    expect(screen.getByDisplayValue('Sum up')).toBeTruthy();
    expect(screen.getByDisplayValue('every 30m')).toBeTruthy();
    expect(screen.getByRole('radio', { name: 'Never' })).toHaveProperty('checked', true);
    await shown.user.click(screen.getByRole('link', { name: 'Cancel' }));
    await waitFor(() => expect(keptOf(shown, 'task/new')).toMatchObject({ text: '' }));
  });

  it('of an agent keeps what was typed', async () => {
    const shown = show(<NewAgentForm onSaved={() => undefined} onCancel={() => undefined} />);
    await shown.user.type(await screen.findByLabelText(/^Instructions/), 'Mend it');
    await waitFor(() =>
      expect(JSON.parse((keptOf(shown, 'agent/new') as { text: string }).text)).toMatchObject({
        instructions: 'Mend it',
      }),
    );
  });

  it('of an agent that was added is not unsent, although a kill came before the answer', async () => {
    const agent = { provider: 'anthropic', model: 'm', workspace: '/w', instructions: 'Mend it' };
    const typed = { ...agent, name: 'mender', tools: [], env: [] };
    const shown = show(
      <NewAgentForm onSaved={() => undefined} onCancel={() => undefined} />,
      (seed) => {
        for (const entry of seed.config.entries)
          if (entry.key === 'agents') entry.value = { mender: agent };
      },
      (fake) =>
        fake.answer('unsent.read', () => ({ kept: { text: JSON.stringify(typed), rev: 9 } })),
    );
    await waitFor(() => expect(keptOf(shown, 'agent/new')).toMatchObject({ text: '' }));
    expect(screen.getByLabelText(/^Instructions/)).toHaveProperty('value', '');
  });

  it('with a field for a key is never kept', async () => {
    const both = { onSaved: () => undefined, onCancel: () => undefined };
    const shown = show(
      <>
        <ProviderForm {...both} />
        <ChannelForm {...both} />
      </>,
    );
    for (const input of await screen.findAllByRole('textbox')) await shown.user.type(input, 'x');
    for (const input of shown.container.querySelectorAll<HTMLInputElement>('[type="password"]'))
      await shown.user.type(input, 'sk-secret');
    window.dispatchEvent(new Event('blur'));
    window.dispatchEvent(new Event('pagehide'));
    expect(shown.fake.callsOf('unsent.keep')).toEqual([]);
  });
});

describe('F2 the window', () => {
  const isNew = (shown: { entries: { key: string; value: unknown }[] }): void => {
    for (const entry of shown.entries)
      if (entry.key === 'app.first_start_done') entry.value = false;
  };
  it('opens where it is told, and says where the person is a moment later', async () => {
    const shown = show(<RecoveryWindow />, undefined, (fake) =>
      fake.answer('app.landing', () => ({ route: '/agents', isStoryOver: false })),
    );
    await waitFor(() => expect(window.location.hash).toBe('#/agents'));
    await waitFor(() => expect(shown.fake.callsOf('app.place')).toEqual([{ route: '/agents' }]));
    expect(shown.fake.callsOf('app.landing')).toEqual([{ asked: '/' }]);
  });

  it('says where the person is while they scroll on and on', async () => {
    const shown = show(<RecoveryWindow />, undefined, (fake) =>
      fake.answer('app.landing', () => ({ route: '/agents', isStoryOver: false })),
    );
    await waitFor(() => expect(window.location.hash).toBe('#/agents'));
    const scrolling = setInterval(() => {
      const content = shown.container.querySelector('#content');
      content?.dispatchEvent(new Event('scroll'));
    }, 50);
    await waitFor(() =>
      expect(shown.fake.callsOf('app.place')).toMatchObject([{ route: '/agents' }]),
    ).finally(() => clearInterval(scrolling));
  });

  it('stays where a click has led meanwhile', async () => {
    const shown = show(<RecoveryWindow />, undefined, (fake) =>
      fake.answer('app.landing', () => {
        window.location.hash = '#/outages';
        return { route: '/agents', isStoryOver: false };
      }),
    );
    await waitFor(() => expect(shown.fake.callsOf('app.place')).toEqual([{ route: '/outages' }]));
    expect(window.location.hash).toBe('#/outages');
  });

  it('ends the first start where another turn has taken its place', async () => {
    const shown = show(
      <RecoveryWindow />,
      (seed) => isNew(seed.config as never),
      (fake) => fake.answer('app.landing', () => ({ route: '/', isStoryOver: true })),
    );
    await waitFor(() =>
      expect(shown.fake.callsOf('config.set')).toEqual([
        { key: 'app.first_start_done', value: true },
      ]),
    );
  });

  it.each([
    ['a link or the palette', () => void (window.location.hash = '#/agents')],
    [
      'a notice or a deep link',
      (shown: Shown) => shown.fake.emit('navigate', { route: '/decisions/1' }),
    ],
  ] as const)('ends the first start that is left by %s', async (_name, leave) => {
    const shown = show(<RecoveryWindow />, (seed) => isNew(seed.config as never));
    await screen.findByRole('heading', { level: 1, name: 'Holdfast keeps running' });
    leave(shown);
    await waitFor(() =>
      expect(shown.fake.callsOf('config.set')).toEqual([
        { key: 'app.first_start_done', value: true },
      ]),
    );
  });
});
