// @vitest-environment happy-dom
import { act, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ReactElement } from 'react';
import { RecoveryWindow } from '../../renderer/recovery-window';
import { SettingsWindow } from '../../renderer/settings/settings-window';
import type { WindowVerb } from '../../shared/contract';
import { downDelivery } from '../helpers/fake-delivery';
import type { FakeBridge } from '../helpers/fake-bridge';
import type { Seed } from '../helpers/fake-seed-type';
import { nightSchedule } from '../helpers/fake-schedule';
import { show } from './render';
import type { Shown } from './render';

/** A browser takes the focus from a control that is disabled; nothing does so here. */
const browser = new MutationObserver(() => {
  const at = document.activeElement;
  if (!(at instanceof HTMLElement) || !at.matches(':disabled')) return;
  // What is disabled cannot be asked to.
  at.removeAttribute('disabled');
  at.blur();
  at.setAttribute('disabled', '');
});
beforeEach(() => browser.observe(document, { subtree: true, attributeFilter: ['disabled'] }));
afterEach(() => browser.disconnect());

/** Answers of this verb wait until they are let go. */
function hold(fake: FakeBridge, verb: WindowVerb): () => void {
  let letGo = (): void => undefined;
  const gate = new Promise<void>((resolve) => (letGo = resolve));
  const call = fake.bridge.call as Record<string, (input: unknown) => Promise<unknown>>;
  const real = call[verb]!;
  call[verb] = async (input) => {
    await gate;
    return real(input);
  };
  return () => letGo();
}

/** What has the focus, by its kind and its name. */
function here(): string {
  const at = document.activeElement;
  if (at === null || at === document.body) return 'nothing';
  const kind = at.getAttribute('role') ?? at.tagName.toLowerCase();
  const text = at.matches('button, a') ? at.textContent : at.id;
  return `${kind} ${at.getAttribute('aria-label') ?? text}`.trim();
}

const button = (name: string | RegExp): Promise<HTMLElement> =>
  screen.findByRole('button', { name });
const at = (hash: string, page: ReactElement = <RecoveryWindow />): ReactElement => {
  window.location.hash = hash;
  return page;
};

const withSettings = (seed: Seed): void => {
  const value = {
    'Site mender': { executor: 'acp', command: 'claude-agent-acp', workspace: '/srv/site' },
  };
  seed.config.entries = seed.config.entries.map((entry) =>
    entry.key === 'agents' ? { ...entry, value } : entry,
  );
};

const night = (seed: Seed): void => {
  seed.schedule = nightSchedule(seed.nowMs);
};

interface Save {
  readonly what: string;
  readonly verb: WindowVerb;
  readonly page: () => ReactElement;
  readonly seed?: (seed: Seed) => void;
  /** What a person does before; then the control that saves. */
  readonly find: (shown: Shown) => Promise<HTMLElement>;
  /** Where the focus is when it is saved: the control itself, or what is named here. */
  readonly ends: string;
}

const menuItem = async ({ user }: Shown, opener: string, item: string): Promise<HTMLElement> => {
  await user.click(await button(opener));
  return screen.findByRole('menuitem', { name: item });
};

const SAVES: readonly Save[] = [
  {
    what: 'a test message of a provider',
    verb: 'provider.test',
    page: () => at('#/providers', <SettingsWindow />),
    find: async () => (await screen.findAllByRole('button', { name: /^Test/ }))[0]!,
    ends: 'itself',
  },
  {
    what: 'a check of the data',
    verb: 'doctor.run',
    page: () => at('#/data', <SettingsWindow />),
    find: () => button('Check now'),
    ends: 'itself',
  },
  {
    what: 'a provider that is added',
    verb: 'provider.set',
    page: () => at('#/providers', <SettingsWindow />),
    async find({ user }) {
      await user.click(await button('Add a provider'));
      await user.type(screen.getByRole('textbox', { name: /^Name/ }), 'spare');
      return button('Save provider');
    },
    ends: 'button Add a provider',
  },
  {
    what: 'a client of the gateway that is added with Enter',
    verb: 'gateway.addClient',
    page: () => at('#/data', <SettingsWindow />),
    async find({ user }) {
      const field = await screen.findByRole('textbox', { name: 'Client name' });
      await user.type(field, 'ci');
      return field;
    },
    ends: 'itself',
  },
  {
    what: 'a client of the gateway that is revoked',
    verb: 'gateway.revokeClient',
    page: () => at('#/data', <SettingsWindow />),
    async find({ user }) {
      await user.click(await button('Revoke token for laptop-codex'));
      return button('Revoke token');
    },
    ends: 'section Clients',
  },
  {
    what: 'an agent that is saved',
    verb: 'agents.edit',
    page: () => at('#/agents'),
    seed: withSettings,
    async find({ user }) {
      await user.click(await button(/^Site mender/));
      await user.click(await button('Edit'));
      return button('Save agent');
    },
    ends: 'article Agent details',
  },
  {
    what: 'a permission that is given',
    verb: 'approvals.allow',
    page: () => at('#/decisions/item-15'),
    find: () => button('Allow once'),
    ends: 'status',
  },
  {
    what: 'a turn that is discarded',
    verb: 'recovery.discard',
    page: () => at('#/decisions/7'),
    find: () => button('Discard turn'),
    ends: 'status',
  },
  {
    what: 'a reminder',
    verb: 'app.remind',
    page: () => at('#/decisions'),
    find: (shown) => menuItem(shown, 'Remind me in…', '1 hour'),
    ends: 'status',
  },
  {
    what: 'the drafts that fit',
    verb: 'drafts.promote',
    page: () => at('#/drafts/1'),
    find: () => button('Apply the up-to-date draft'),
    ends: 'status',
  },
  {
    what: 'a draft that is thrown away',
    verb: 'drafts.discard',
    page: () => at('#/drafts/1'),
    async find({ user }) {
      await user.click(await button('Discard draft'));
      return button('Discard');
    },
    ends: 'status',
  },
  {
    what: 'an agent that is asked to fit a draft',
    verb: 'send',
    page: () => at('#/drafts/1'),
    find: () => button('Ask Repo mender to update the draft'),
    ends: 'status',
  },
  {
    what: 'an event that is sent again',
    verb: 'dlq.replay',
    page: () => at('#/events/delivery'),
    seed: (seed) => {
      seed.delivery = downDelivery(seed.nowMs);
    },
    find: () => button('Send again: evt-1'),
    ends: 'section Undelivered events',
  },
  {
    what: 'the restart notice',
    verb: 'inbox.dismiss',
    page: () => at('#/'),
    find: () => button('Dismiss this notice'),
    ends: 'section',
  },
  {
    what: 'a stop',
    verb: 'turns.cancel',
    page: () => at('#/'),
    find: async () => (await screen.findAllByRole('button', { name: /^Cancel turn/ }))[0]!,
    ends: 'section Running',
  },
  {
    what: 'a message',
    verb: 'send',
    page: () => at('#/sessions/9'),
    async find({ user }) {
      await user.type(await screen.findByRole('textbox', { name: /^Add a prompt/ }), 'and then?');
      return button('Send after this turn');
    },
    ends: 'textarea Add a prompt',
  },
  {
    what: 'a breaker that is opened',
    verb: 'breakers.trip',
    page: () => at('#/outages'),
    async find(shown) {
      await shown.user.click(
        await menuItem(shown, 'Circuit breaker of Ollama', 'Open the circuit breaker…'),
      );
      return button('Open circuit breaker');
    },
    ends: 'li',
  },
  {
    what: 'a pause of a task',
    verb: 'tasks.pause',
    page: () => at('#/schedule/1'),
    seed: night,
    find: async () =>
      within(await screen.findByRole('region', { name: 'Price watch' })).findByRole('button', {
        name: 'Pause',
      }),
    ends: 'button Resume',
  },
  {
    what: 'a task that is cancelled',
    verb: 'tasks.cancel',
    page: () => at('#/schedule/3'),
    seed: night,
    async find(shown) {
      await shown.user.click(await menuItem(shown, 'More about Back up notes', 'Cancel task…'));
      const dialog = await screen.findByRole('dialog');
      return within(dialog).findByRole('button', { name: 'Cancel task' });
    },
    ends: 'aside',
  },
  {
    what: 'a run that is discarded',
    verb: 'runs.discard',
    page: () => at('#/runs/4'),
    async find({ user }) {
      await user.click(await button('Discard run'));
      return within(await screen.findByRole('dialog')).findByRole('button', {
        name: 'Discard run',
      });
    },
    ends: 'main content',
  },
];

describe('the focus of who works with keys', () => {
  it.each(SAVES)('stays, or goes to where it was pressed: $what', async (save) => {
    const shown = show(save.page(), save.seed);
    const control = await save.find(shown);
    const letGo = hold(shown.fake, save.verb);
    act(() => control.focus());
    const calls = shown.fake.callsOf(save.verb).length;
    await shown.user.keyboard('{Enter}');
    // While it saves: on the control, or on the part of the page that it stands in.
    await waitFor(() => expect(here()).not.toBe('nothing'));
    await act(async () => letGo());
    await waitFor(() => expect(shown.fake.callsOf(save.verb).length).toBeGreaterThan(calls));
    if (save.ends === 'itself') await waitFor(() => expect(document.activeElement).toBe(control));
    else await waitFor(() => expect(here()).toMatch(save.ends));
  });
});
