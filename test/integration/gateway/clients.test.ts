/** Clients of the gateway, each with a token of its own, over real HTTP. */
import fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { replaceToken } from '../../../electron/adapters/loopback/saved-token';
import { clientToken } from '../../helpers/client-token';
import { heardOf } from './gateway-clients';
import { startGatewayWorld, type GatewayWorld } from './gateway-world';

let world: GatewayWorld;
beforeEach(async () => {
  world = await startGatewayWorld();
  world.provider.setScript(() => ({ text: 'for both' }));
});
afterEach(() => world.stop());

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${String(world.port)}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.token}`, ...headers },
    body: JSON.stringify(body),
  });

const REVOKED = 'The token of this client was revoked';

describe('a client of the gateway', () => {
  it('S0-38 counts each client by its name, and ends at once what a revoked one has under way', async () => {
    const { token, tokenHash } = clientToken();
    world.clients.push(
      { name: 'other', tokenHash: clientToken().tokenHash },
      { name: 'laptop', tokenHash },
    );
    const of = (bearer: string, text: string) =>
      post(
        '/v1/chat/completions',
        { model: 'm', temperature: 0, messages: [text], stream: true },
        { authorization: `Bearer ${bearer}` },
      );
    for (const bearer of [world.token, token, token]) await (await of(bearer, 'same')).text();
    await expect
      .poll(() => world.uses.map(({ client, isRemembered }) => [client, isRemembered]))
      .toEqual([
        ['default', false],
        ['laptop', true],
        ['laptop', true],
      ]);
    world.rules.isDown = true;
    // Both have heard a first comment: who has heard nothing yet sees its connection end.
    const asked = await Promise.all([of(token, 'held'), of(world.token, 'held too')]);
    const waits = asked.map(heardOf);
    expect(world.waiting()).toBe(2);
    world.clients.splice(0);
    await world.revoked('laptop');
    expect(await waits[0]).toEqual({ text: expect.stringContaining(REVOKED), isBroken: true });
    expect((await of(token, 'again')).status).toBe(401);
    world.rules.isDown = false;
    world.changed();
    expect(await waits[1]).toEqual({ text: expect.stringContaining('for '), isBroken: false });
  });

  it('H4 a new token in the file takes the place of the one before, for who waits with it, too', async () => {
    world.rules.isDown = true;
    const asked = await post('/v1/messages', { model: 'm', messages: [], stream: true });
    const waits = heardOf(asked);
    expect(world.waiting()).toBe(1);
    const next = await replaceToken(world.tokenPath);
    await world.revoked('default');
    expect(await waits).toEqual({ text: expect.stringContaining(REVOKED), isBroken: true });
    const models = async (bearer: string) =>
      (
        await fetch(`http://127.0.0.1:${String(world.port)}/v1/models`, {
          headers: { authorization: `Bearer ${bearer}` },
        })
      ).status;
    expect([await models(world.token), await models(next)]).toEqual([401, 200]);
    expect(fs.statSync(world.tokenPath).mode & 0o777).toBe(0o600);
  });
});
