import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import { createServer as createNetServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { createFetchTools } from '../../../electron/adapters/fetch/fetch-tools';
import { resultOf, toolCall } from './call-tool';
import { SLACK } from '../../helpers/slack';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const open = createFetchTools({ allowLoopback: true, version: '1', timeoutMs: 60_000 });
const impatient = createFetchTools({ allowLoopback: true, version: '1', timeoutMs: 2_000 });
const closed = createFetchTools({ allowLoopback: false, version: '1', timeoutMs: 60_000 });
const get = (url: string, host = open) => resultOf(host, toolCall('web_fetch', { url }, '/'));

describe('web_fetch', () => {
  it('S4-11 is a world tool: every call goes out, and a changed page shows', async () => {
    let count = 0;
    const url = await serve((_request, response) => {
      response.setHeader('content-type', 'text/plain').end(`version ${(count += 1)}`);
    });
    expect(open.tools()[0]?.purity).toBe('world');
    expect((await get(url)).content).toContain('version 1');
    expect((await get(url)).content).toContain('version 2');
  });

  it('sends one GET without cookies or credentials and reduces HTML to text with links', async () => {
    const seen: string[] = [];
    const url = await serve((request, response) => {
      seen.push(
        `${String(request.method)} ${String(request.url)} ${Object.keys(request.headers).sort().join(',')}`,
      );
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(
        '<html><head><title>T &amp; U</title><style>p{}</style></head><body><script>alert("x")</script><p>One  <b>two</b><br>three &lt;4&gt; &#8364;</p><ul><li>a</li><li><a href="https://example.org/?a=1&amp;b=2">link</a></li></ul><!-- hidden --></body></html>',
      );
    });
    const result = await get(`${url}/page?q=1`);
    expect(result).toEqual({
      kind: 'result',
      isError: false,
      httpStatus: 200,
      content: `URL: ${url}/page?q=1\nStatus: 200\nContent-Type: text/html; charset=utf-8\n\nT & U\n\nOne two\nthree <4> €\n\n- a\n\n- link <https://example.org/?a=1&b=2>`,
    });
    expect(seen).toEqual(['GET /page?q=1 accept,accept-encoding,connection,host,user-agent']);
  });

  it('follows 5 redirects and refuses the 6th', async () => {
    const url = await serve((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left === 0) response.setHeader('content-type', 'text/plain').end('arrived');
      else response.writeHead(302, { location: `/${left - 1}` }).end();
    });
    expect((await get(`${url}/5`)).content).toContain('arrived');
    expect(await get(`${url}/6`)).toMatchObject({
      isError: true,
      content: expect.stringContaining('more than 5 redirects'),
    });
  });

  it('returns a 404 as an error result with its text', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('nothing here');
    });
    const result = await get(url);
    expect(result.isError).toBe(true);
    expect(result.content).toMatch(/Status: 404[\s\S]*nothing here/);
  });

  it('reads 1 MB of a larger page, gives 256 K characters and says both', async () => {
    const url = await serve((_request, response) => {
      response.setHeader('content-type', 'text/plain').end('x'.repeat(3_000_000));
    });
    const { content } = await get(url);
    expect(content.length).toBeLessThan(263_000);
    expect(content).toMatch(/\[only the first 1024 KB were read; truncated at 256 K characters\]$/);
  });

  it('counts the cap after decompression: 50 MB of zeros in 50 KB do not fit', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000, 'a'));
    const url = await serve((_request, response) => {
      response
        .writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' })
        .end(bomb);
    });
    const started = performance.now();
    expect((await get(url)).content).toContain('only the first 1024 KB');
    expect(performance.now() - started).toBeLessThan(1_500 * SLACK);
  });

  it('names a binary answer instead of showing it', async () => {
    const url = await serve((_request, response) => {
      response.setHeader('content-type', 'image/png').end(Buffer.from([137, 80, 78, 71, 0]));
    });
    expect(await get(url)).toMatchObject({
      isError: true,
      content: expect.stringContaining('not text (image/png, 5 bytes)'),
    });
  });

  it('fails and may be tried again: refused, cut in the middle, silent for 2 s', async () => {
    const gone = await serve(() => undefined);
    servers[0]?.close();
    await new Promise((resolve) => setTimeout(resolve, 20));
    const cut = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '100' });
      response.write('half');
      setTimeout(() => response.destroy(), 20);
    });
    const silent = await serve(() => undefined);
    for (const [url, tools] of [
      [gone, open],
      [cut, open],
      [silent, impatient],
    ] as const) {
      expect(await tools.call(toolCall('web_fetch', { url }, '/')), url).toMatchObject({
        kind: 'failed',
        isRetryable: true,
      });
    }
  });

  it('T6 S4-11 fails where the page switches to another protocol: nothing else would ever end it', async () => {
    const switching = createNetServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        socket.write(
          'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
        );
      });
    });
    await new Promise<void>((resolve) => switching.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(switching.address() as AddressInfo).port}`;
    const call = toolCall('web_fetch', { url }, '/', { signal: AbortSignal.timeout(5_000) });
    expect(await open.call(call)).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('another protocol'),
    });
    switching.close();
  });

  it('T6 fails, and leaves no connection, where an encoding has the name of something else', async () => {
    let isOpen = true;
    const url = await serve((request, response) => {
      request.socket.once('close', () => (isOpen = false));
      response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'constructor' });
      response.write('plain');
      setTimeout(() => response.end(' text'), 50);
    });
    expect((await get(url)).content).toContain('plain text');
    await expect.poll(() => isOpen, { timeout: 60_000 }).toBe(false);
  });

  it('an abort ends a fetch at once', async () => {
    const url = await serve(() => undefined);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 50);
    const started = performance.now();
    const outcome = await open.call(
      toolCall('web_fetch', { url }, '/', { signal: controller.signal }),
    );
    expect(outcome).toMatchObject({ kind: 'failed', message: expect.stringContaining('stopped') });
    expect(performance.now() - started).toBeLessThan(1_000 * SLACK);
  });

  it.each([
    'http://127.0.0.1:PORT/',
    'http://localhost:PORT/',
    'http://2130706433:PORT/',
    'http://0x7f.1:PORT/',
    'http://[::1]:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://0.0.0.0:PORT/',
    'http://10.0.0.1/',
    'http://172.16.0.1/',
    'http://192.168.1.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://100.64.0.1/',
    'http://[fd00::1]/',
    'http://[fe80::1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://user:pass@127.0.0.1:PORT/',
    'file:///etc/passwd',
    'data:text/plain,hello',
    'ftp://127.0.0.1/',
    'javascript:alert(1)',
    '/relative',
    'not an address',
  ])('T6 does not fetch %s', async (template) => {
    let requests = 0;
    const url = await serve((_request, response) => {
      requests += 1;
      response.end('reached');
    });
    const result = await get(template.replace('PORT', new URL(url).port), closed);
    expect(result).toMatchObject({
      isError: true,
      content: expect.stringContaining('was not fetched'),
    });
    expect(requests).toBe(0);
  });

  it('T6 checks every redirect again: from an allowed address to file: and to a private one', async () => {
    for (const location of [
      'file:///etc/passwd',
      'http://10.0.0.1/',
      'http://a:b@127.0.0.1/',
      'http://[fd00::1]/',
    ]) {
      const url = await serve((_request, response) => {
        response.writeHead(302, { location }).end();
      });
      expect(await get(url), location).toMatchObject({
        isError: true,
        content: expect.stringContaining('was not fetched'),
      });
    }
  });
});
