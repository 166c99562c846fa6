/** What models, tools and people write is data to the database, never a part of a query: T2. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Composition } from '../../electron/compose/options';
import { composeIn, createWorld, turnIn, writeConfig, type World } from '../helpers/compose-world';
import { createFakeProvider, createFakeTools, linesOf, resultsSoFar } from '../helpers/fake-world';

const NASTY = [
  `x'); DROP TABLE turns; --`,
  `" OR 1=1 --`,
  '%',
  '_',
  '\\',
  `a%' ESCAPE 'x`,
  '*:"NEAR" AND NOT (',
  '$.key ? @a :b',
  '\u0000tail',
];

/** The tasks in which every word of a search stands. */
const found = (text: string): string[] =>
  NASTY.map((one) => `${one} task`)
    .filter((prompt) => text.split(/\s+/).every((word) => prompt.includes(word)))
    .toSorted();

let world: World;
let app: Composition;
beforeEach(() => {
  world = createWorld();
});
afterEach(async () => {
  await app.lifecycle.stop('stop');
  world.remove();
});

it('T2 R3 9 hostile texts as prompt, session, tool name, argument and search come back as they are, find only themselves and change nothing else; the log has none of them, also where it is told most', async () => {
  const tools = createFakeTools({
    dir: world.outside,
    specs: NASTY.filter((name) => !name.startsWith('\u0000')).map((name) => ({
      name,
      description: name,
      inputSchema: { type: 'object', additionalProperties: true },
      purity: 'side_effect' as const,
    })),
  });
  const provider = createFakeProvider({
    dir: world.outside,
    script: (request) => {
      const text = request.messages.findLast((message) => message.role === 'user')?.text ?? '';
      return resultsSoFar(request) === 0
        ? { calls: [{ tool: text, args: { [text]: text } }] }
        : { text };
    },
  });
  writeConfig(world, { log: { level: 'debug' } });
  app = composeIn(world, { toolHosts: [tools], providers: [provider] });
  await app.lifecycle.start();
  const { holdfast } = app;
  const turns: number[] = [];
  for (const text of NASTY) {
    const session = `s ${text}`.replaceAll('\u0000', '0');
    const input = { text, session, agent: 'fake' };
    const { turnId } = await holdfast.call('send', input, 'test');
    turns.push(turnId);
    await turnIn(app, turnId, ['completed']);
    const status = await holdfast.call('session.status', { session }, 'test');
    expect(status.session).toMatchObject({ key: session, turns: 1 });
    await holdfast.call('tasks.add', { prompt: `${text} task`, schedule: 'every 5h' }, 'test');
  }
  expect(linesOf(tools.log).map((line) => (JSON.parse(line) as { tool: string }).tool)).toEqual(
    NASTY.slice(0, -1),
  );
  for (const [index, text] of NASTY.entries()) {
    const turnId = turns[index] ?? 0;
    const shown = await holdfast.call('turns.show', { turnId, withTexts: true }, 'test');
    expect(shown.turn.promptStart).toBe(text);
    // Nobody can type a NUL into a search; there it ends the pattern.
    if (text.includes('\u0000')) continue;
    const { tasks } = await holdfast.call('tasks.list', { search: text }, 'test');
    expect(tasks.map(({ prompt }) => prompt).toSorted()).toEqual(found(text));
    const { events } = await holdfast.call('events.list', { text, limit: 100 }, 'test');
    for (const event of events) expect(JSON.stringify(event)).not.toContain('SQLITE');
  }
  const { turns: all } = await holdfast.call('turns.list', {}, 'test');
  expect(all).toHaveLength(NASTY.length);
  const { checks } = await holdfast.call('doctor.run', { full: true }, 'test');
  expect(checks.find(({ name }) => name === 'database integrity')).toMatchObject({ ok: true });
  const { lines } = await holdfast.call('logs.tail', { lines: 1_000 }, 'test');
  expect(lines.length).toBeGreaterThan(NASTY.length);
  for (const text of NASTY.filter(({ length }) => length > 2))
    expect(lines.join('\n')).not.toContain(JSON.stringify(text).slice(1, -1));
});
