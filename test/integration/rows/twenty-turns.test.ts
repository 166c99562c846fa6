import { afterEach, beforeEach, expect, it } from 'vitest';
import type { TurnSummary } from '../../../shared/types';
import { createRandom } from '../../helpers/random';
import type { RecoveryList, Site } from './site';
import { callsThenDone, createSite, effect, promptIn, until } from './site';

let site: Site;

beforeEach(async () => {
  site = await createSite();
});
afterEach(() => site.remove());

const TURNS = 20;
/** Each of them ends with SIGKILL, every third one while it is still starting. */
const LIVES = 9;

it('S0-01 20 turns, SIGKILL at 9 random points and a provider that is down meanwhile: none is missing, each is done or asks a person, no effect happened twice', async () => {
  const random = createRandom(20);
  let isDown = false;
  site.configure({
    resilience: {
      probe_interval: '200ms',
      recovery: { side_effect_tools: ['shell'], resume_delay: '50ms' },
    },
    retry: { server: { max_attempts: 1, first_wait: '10ms', max_wait: '20ms' } },
    breakers: { initial_backoff: '50ms', max_backoff: '200ms' },
    work: { requeue_delay: '20ms', requeue_max_delay: '50ms' },
  });
  const write = (name: string) => ({ name: 'write_file', args: { path: name, content: name } });
  site.fp.setScript((request) => {
    if (isDown) return { status: 503 };
    const prompt = promptIn(request);
    const reply = prompt.startsWith('effects')
      ? callsThenDone(effect(`${prompt} a`), write(`${prompt}.txt`), effect(`${prompt} b`))(request)
      : prompt.startsWith('files')
        ? callsThenDone(write(`${prompt}.txt`), { name: 'list_files', args: {} })(request)
        : { text: `done: ${prompt}` };
    return { ...reply, delayMs: 20 + random(100) };
  });
  const acked = new Map<number, string>();
  const kinds = ['effects', 'files', 'talk'];
  for (let life = 1; life <= LIVES; life += 1) {
    isDown = life >= 4 && life <= 6;
    const host = site.launch(['start', '--headless']);
    if (life % 3 === 0) {
      await new Promise((resolve) => setTimeout(resolve, 100 + random(400)));
      await site.kill(host);
      continue;
    }
    await until('the host is ready', () => host.out().includes('\n'));
    const client = await site.client();
    const killed = new Promise<void>((resolve) => setTimeout(resolve, random(700))).then(() =>
      site.kill(host),
    );
    for (let n = 0; n < 5 && acked.size < TURNS; n += 1) {
      const text = `${kinds[acked.size % 3] ?? ''} ${String(life)}.${String(n)}`;
      // What is not answered was not accepted, or is one turn more that nobody counts on.
      const sent = await client.call('send', { text, session: text }).catch(() => undefined);
      if (sent !== undefined) acked.set(sent.turnId, text);
    }
    await killed;
    client.close();
  }
  isDown = false;
  await site.start();
  const rest = await site.client();
  while (acked.size < TURNS) {
    const text = `files rest ${String(acked.size)}`;
    acked.set((await rest.call('send', { text, session: text })).turnId, text);
  }
  rest.close();
  const turns = async (): Promise<readonly TurnSummary[]> =>
    (await site.json<{ turns: TurnSummary[] }>('turns', 'list', '--limit', '100')).turns;
  const isQuiet = (turn: TurnSummary): boolean =>
    ['completed', 'held', 'parked'].includes(turn.state);
  await until('every turn has ended or asks', async () => (await turns()).every(isQuiet), 60_000);
  const all = new Map((await turns()).map((turn) => [turn.id, turn]));
  for (const [turnId, text] of acked) expect(all.get(turnId)?.promptStart).toBe(text);
  // Who waits for a person is in the list of decisions, and nobody else is.
  const { decisions } = await site.json<RecoveryList>('recovery', 'list');
  expect(decisions.map((one) => one.turnId).sort()).toEqual(
    [...all.values()]
      .filter((turn) => turn.state !== 'completed')
      .map((turn) => turn.id)
      .sort(),
  );
  const effects = site.effects();
  expect(new Set(effects).size).toBe(effects.length);
  for (const turn of all.values()) {
    if (turn.state !== 'completed' || !turn.promptStart.startsWith('effects')) continue;
    const mine = effects.filter((line) => line.startsWith(turn.promptStart));
    expect(mine.map((line) => line.split(' ')[2])).toEqual(['a', 'b']);
  }
});
