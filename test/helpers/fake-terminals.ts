/** Watched terminals of the fake engine: none until a test puts some in. */
import type { VerbInput, VerbOutput } from '../../shared/contract';
import type { WatchedTerminal } from '../../shared/types/terminals';

type Sessions = VerbOutput<'sessions.list'>['sessions'];

export function seedTerminal(nowMs: number, more: Partial<WatchedTerminal> = {}): WatchedTerminal {
  return {
    ref: '5d0c3d1e-1111-4222-8333-444455556666',
    folder: '/home/mara/shop',
    lastAtMs: nowMs - 5 * 60_000,
    prompt: 'Move the shop to the new tax rates',
    state: 'in_call',
    finishedCount: 2,
    finished: [
      { tool: 'Edit', about: 'rates.ts' },
      { tool: 'Bash', about: 'npm test' },
    ],
    open: [{ tool: 'Bash', about: 'npm run deploy' }],
    command: 'cd /home/mara/shop && claude --resume 5d0c3d1e-1111-4222-8333-444455556666',
    agents: ['shop'],
    ...more,
  };
}

export function fakeTerminalVerbs(seed: { readonly nowMs: number; readonly sessions: Sessions }) {
  return {
    'watch.list': (): VerbOutput<'watch.list'> => ({ terminals: [] }),
    'session.adopt': ({
      agent,
      ref,
      key,
    }: VerbInput<'session.adopt'>): VerbOutput<'session.adopt'> => {
      if (ref === undefined) return { conversations: [], note: '' };
      const id = Math.max(0, ...seed.sessions.map((one) => one.id)) + 1;
      const session: Sessions[number] = {
        id,
        key: key ?? `${agent}-${String(id)}`,
        title: agent,
        agent,
        status: 'idle',
        stopReason: '',
        turns: 0,
        pendingEvents: 0,
        createdAtMs: seed.nowMs,
        lastEventAtMs: seed.nowMs,
      };
      seed.sessions.push(session);
      return { conversations: [], note: '', session };
    },
    'session.handBack': ({
      session,
    }: VerbInput<'session.handBack'>): VerbOutput<'session.handBack'> => ({
      session,
      agent: 'shop',
      ref: 'r',
      folder: '/home/mara/shop',
      command: 'cd /home/mara/shop && claude --resume r',
    }),
  };
}
