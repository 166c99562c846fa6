// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { ApprovalPane } from '../../renderer/decisions/approval-pane';
import { TurnPage } from '../../renderer/turn/turn-page';
import { createSeed } from '../helpers/fake-seed';
import { axeFindings, show } from './render';

const nothing = (): void => undefined;

describe('names instead of ids', () => {
  it('calls a turn by the first sentence of its prompt, and the way to it by the title of its session', async () => {
    const seed = createSeed(Date.now());
    const turn = seed.turns.find(({ sessionKey }) =>
      seed.sessions.some(({ key }) => key === sessionKey),
    );
    if (turn === undefined) throw new Error('no turn');
    show(<TurnPage turnId={turn.id} />, (given) => {
      given.turns = given.turns.map((one) =>
        one.id === turn.id ? { ...one, promptStart: 'Sort the mails. Then rest.' } : one,
      );
      given.sessions = given.sessions.map((one) =>
        one.key === turn.sessionKey ? { ...one, title: 'Inbox of Monday' } : one,
      );
    });
    await screen.findByRole('heading', { level: 1, name: 'Sort the mails' });
    const crumb = screen.getByRole('navigation');
    await within(crumb).findByRole('link', { name: 'Inbox of Monday' });
    expect(crumb.textContent).not.toContain(turn.sessionKey);
  });

  it('shows the hash of a request and the key of its session only behind Details, each to be copied', async () => {
    const [request] = createSeed(Date.now()).approvals;
    if (request === undefined) throw new Error('no request');
    const { user, container } = show(
      <ApprovalPane request={request} isOnTurnPage={false} onStale={nothing} onSettled={nothing} />,
    );
    const summary = await screen.findByText('Details');
    const details = summary.closest('details');
    expect(details?.open).toBe(false);
    const outside = container.cloneNode(true) as HTMLElement;
    for (const one of outside.querySelectorAll('details')) one.remove();
    expect(outside.textContent).not.toContain(request.inputHash.slice(0, 12));
    await user.click(summary);
    await waitFor(() => expect(details?.textContent).toContain(request.inputHash));
    screen.getByRole('button', { name: 'Copy Request hash' });
    screen.getByRole('button', { name: 'Copy Session key' });
    expect(await axeFindings(container)).toEqual([]);
  });
});
