/** The key of a provider in a file that the system cannot open for a moment. */
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import {
  composeIn,
  createWorld,
  QUIET,
  turnIn,
  writeConfig,
  type World,
} from '../../helpers/compose-world';

const { open } = fs.promises;
let world: World;
let app: Composition | undefined;
let server: http.Server;
afterEach(async () => {
  setOpen(open);
  await app?.lifecycle.stop('stop');
  server.close();
  world.remove();
});

function setOpen(other: typeof open): void {
  Object.assign(fs.promises, { open: other });
  syncBuiltinESMExports();
}

/** Answers every request, and stores the keys. */
function answering(keys: (string | undefined)[]): Promise<number> {
  server = http.createServer((request, response) => {
    keys.push(request.headers.authorization);
    response.setHeader('content-type', 'text/event-stream');
    const chunk = (choice: object): string =>
      `data: ${JSON.stringify({ id: '1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, ...choice }] })}\n\n`;
    response.end(
      `${chunk({ delta: { role: 'assistant', content: 'done' }, finish_reason: null })}${chunk({ delta: {}, finish_reason: 'stop' })}data: [DONE]\n\n`,
    );
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      resolve((server.address() as AddressInfo).port);
    });
  });
}

it.each([
  ['EMFILE', 'waiting', 1],
  ['EIO', 'waiting', 1],
  ['EACCES', 'parked', 0],
] as const)(
  'R10 S3-12 a turn whose key cannot be read (%s) is %s, and is answered %i times by itself once it can',
  async (code, state, answers) => {
    const keys: (string | undefined)[] = [];
    const port = await answering(keys);
    world = createWorld();
    const file = path.join(world.outside, 'key');
    fs.writeFileSync(file, 'key-1234567890', { mode: 0o600 });
    writeConfig(world, {
      providers: {
        p: {
          kind: 'openai-compatible',
          base_url: `http://127.0.0.1:${String(port)}/v1`,
          api_key_file: file,
        },
      },
      agents: { a: { provider: 'p', model: 'm', workspace: world.workspace } },
      work: { requeue_delay: '200ms' },
    });
    setOpen((place, ...rest) =>
      place === file
        ? Promise.reject(Object.assign(new Error(code), { code }))
        : open(place, ...rest),
    );
    app = composeIn(world, { toolHosts: [] });
    await app.lifecycle.start();
    const { turnId } = await app.holdfast.call('send', { text: 'x', agent: 'a' }, 'test');
    const turn = await turnIn(app, turnId, [...QUIET]);
    expect([turn.state, turn.reason]).toEqual([state, expect.stringContaining(code)]);
    setOpen(open);
    if (answers > 0) await turnIn(app, turnId, ['completed']);
    expect(keys).toEqual(Array.from({ length: answers }, () => 'Bearer key-1234567890'));
  },
);
