/** What a stop says of the open turns is what the next start does with them. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { FakeRequest } from '../../helpers/fake-provider';
import type { FakeReply } from '../../helpers/fake-provider-types';
import type { RecoveryList, Site } from './site';
import { createSite, promptIn, resultsIn, until } from './site';

let site: Site;
beforeEach(async () => {
  site = await createSite();
});
afterEach(() => site.remove());

/** Steps that a stop finds at work: one of each kind, each in a session of its own. */
const KINDS: Readonly<Record<string, string>> = {
  effect: 'echo x >> effects.log; tail -f /dev/null',
  reading: 'tail -f /dev/null',
};
function script(request: FakeRequest): FakeReply {
  const command = KINDS[promptIn(request)];
  if (command === undefined) return { fault: 'stall_first_byte' };
  return resultsIn(request) === 0
    ? { toolCalls: [{ name: 'shell', args: { command } }] }
    : { text: 'done' };
}

type Foreseen = { willResume: number; willAsk?: number; willDiscard?: number };

it.each([
  ['safe_only', [], 'retry'],
  ['safe_only', ['shell:effects'], 'retry'],
  ['safe_only', ['shell.shell'], 'retry'],
  ['safe_only', [], 'discard_skill'],
  ['safe_only', ['shell:effects'], 'skip'],
  ['always', ['shell'], 'retry'],
  ['never', [], 'retry'],
] as const)(
  'F4 mode %s, list %j, policy %s: what the stop says is what the next start does, for each kind of step',
  async (mode, list, policy) => {
    site.configure({
      resilience: { recovery: { mode, side_effect_tools: list } },
      skill_resume: { default: policy },
    });
    site.fp.setScript(script);
    const host = await site.start();
    const ids: number[] = [];
    for (const kind of ['effect', 'reading', 'thinking'])
      ids.push(await site.send(kind, '--session', kind));
    await until('all are at work', () => {
      const started = site.db<{ tool: string }>(
        "SELECT tool FROM turn_steps WHERE state = 'started'",
      );
      return (
        started.filter(({ tool }) => tool === 'shell.shell').length === 2 &&
        started.some(({ tool }) => tool === 'model')
      );
    });
    const said = await site.json<Foreseen>('stop');
    await host.ended;
    site.fp.setScript(() => ({ fault: 'stall_first_byte' }));
    await site.start();
    const { lastStart } = await site.json<RecoveryList>('recovery', 'list');
    const count = (...actions: string[]): number =>
      lastStart.filter(({ turnId, action }) => ids.includes(turnId) && actions.includes(action))
        .length;
    expect([said.willResume, said.willAsk ?? 0, said.willDiscard ?? 0]).toEqual([
      count('resume'),
      count('hold', 'stale', 'park'),
      count('discard'),
    ]);
    expect(lastStart).toHaveLength(3);
    // What runs again would be left behind by a host that is killed.
    await site.hf('stop');
  },
);
