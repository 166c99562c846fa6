/** Asking a provider for its models, over real HTTP on this computer. */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createModelLists } from '../../../electron/adapters/providers/model-list';
import type { ProviderSettings } from '../../../shared/settings';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

const KEY = 'sk-secret-123';

async function ask(
  answer: { readonly status: number; readonly body: string },
  kind: ProviderSettings['kind'] = 'openai-compatible',
) {
  const seen: { url?: string | undefined; headers: IncomingHttpHeaders }[] = [];
  server = createServer((request, response) => {
    seen.push({ url: request.url, headers: request.headers });
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(answer.body);
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const providers = { office: { kind, base_url: `http://127.0.0.1:${String(port)}/v1` } };
  const lists = createModelLists({
    settings: { get: () => providers as never },
    keyOf: () => Promise.resolve({ key: KEY }),
    clock: { nowMs: () => 0 } as never,
    version: '1.0.0',
  });
  return { list: await lists.ask('office'), seen };
}

describe('the models of a provider', () => {
  it('are asked for with its key, in one request without a model call', async () => {
    const { list, seen } = await ask({ status: 200, body: '{"data":[{"id":"b"},{"id":"a"}]}' });
    expect(list).toEqual({ kind: 'listed', models: [{ id: 'a' }, { id: 'b' }] });
    expect(seen.map(({ url }) => url)).toEqual(['/v1/models']);
    expect(seen[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    const other = await ask({ status: 200, body: '{"data":[]}' }, 'anthropic');
    expect(other.seen[0]?.headers['x-api-key']).toBe(KEY);
  });

  it.each([
    [401, '{}', /key/],
    [503, '{}', /./],
    [200, '<html>login</html>', /./],
    [302, '', /./],
    [200, `{"data":[${'{"id":"x"},'.repeat(500_000)}{"id":"x"}]}`, /./],
  ])('%i with %.12s is a failure that says why and never the key', async (status, body, why) => {
    const { list } = await ask({ status, body });
    expect(list.kind).toBe('failed');
    const message = list.kind === 'failed' ? list.message : '';
    expect(message).toMatch(why);
    expect(message).not.toContain(KEY);
  });

  it('are not asked for over plain http at another computer, nor without a key', async () => {
    const settings = (spec: ProviderSettings) => ({ get: () => ({ far: spec }) as never });
    const deps = { clock: { nowMs: () => 0 } as never, version: '1.0.0' };
    const keyOf = () => Promise.resolve(undefined);
    const http = { kind: 'anthropic', base_url: 'http://192.0.2.1/v1' } as const;
    const plain = await createModelLists({ ...deps, keyOf, settings: settings(http) }).ask('far');
    expect(plain).toMatchObject({
      kind: 'failed',
      message: expect.stringMatching(/https/) as string,
    });
    const keyless = await createModelLists({
      ...deps,
      keyOf,
      settings: settings({ kind: 'anthropic' }),
    }).ask('far');
    expect(keyless).toMatchObject({
      kind: 'failed',
      message: expect.stringMatching(/key/) as string,
    });
  });
});
