import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { CHROMIUM, hostOf, html, useBrowserWorlds } from './browser-world';
import { isLeftOut } from '../../helpers/skips';

const createBrowserWorld = useBrowserWorlds();

describe.skipIf(
  isLeftOut('what a page cannot do', CHROMIUM.kind === 'missing' && 'no Chromium is installed'),
)('what a page cannot do', () => {
  it('T5 only https and http are opened, nothing on this computer or in a private network', async () => {
    const world = createBrowserWorld({ localHosts: [] });
    for (const [url, why] of [
      ['file:///etc/passwd', 'only https and http'],
      ['chrome://settings', 'only https and http'],
      ['javascript:alert(1)', 'only https and http'],
      ['data:text/html,x', 'only https and http'],
      ['view-source:http://example.org', 'only https and http'],
      ['http://me:secret@example.org', 'a name or password in it'],
      ['http://127.0.0.1:8080', '127.0.0.1 is on this computer or in a private network'],
      ['http://2130706433/', '127.0.0.1 is on this computer'],
      ['http://[::1]/', '::1 is on this computer'],
      ['http://[::ffff:10.0.0.1]/', 'private network'],
      ['http://169.254.169.254/latest', 'private network'],
    ] as const) {
      expect(await world.say('navigate', { url }), url).toMatch(/^error: /);
      expect(await world.say('navigate', { url }), url).toContain(why);
    }
    expect(world.sessions.open()).toEqual([]);
  });

  it('T5 a name that resolves to this computer, a redirect and what a page loads are stopped at the network', async () => {
    let reached = 0;
    const hidden = createServer((socket) => {
      reached += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => hidden.listen(0, '127.0.0.1', resolve));
    const { port } = hidden.address() as AddressInfo;
    const world = createBrowserWorld({ localHosts: ['127.0.0.2'] });
    const url = await world.serve((request, response) => {
      if (request.url === '/away') {
        response.writeHead(302, { location: `http://127.0.0.1:${String(port)}/` }).end();
      } else if (request.url === '/file') {
        response.writeHead(302, { location: 'file:///etc/passwd' }).end();
      } else {
        html(`<img src="http://127.0.0.1:${String(port)}/a.png"><iframe src="http://localhost:${String(port)}/"></iframe>
          <script>fetch('http://127.0.0.1:${String(port)}/b').catch(() => 0); new WebSocket('ws://127.0.0.1:${String(port)}/');
          new Worker(URL.createObjectURL(new Blob(["fetch('http://127.0.0.1:${String(port)}/w')"])));</script>
          <a href="file:///etc/passwd">Local file</a>`)(request, response);
      }
    }, '127.0.0.2');
    expect(await world.say('navigate', { url: `http://localhost:${String(port)}/` })).toMatch(
      /^error: .* was not opened: localhost resolves to (127\.0\.0\.1|::1) is on this computer/,
    );
    expect(await world.say('navigate', { url: `${url}/away` })).toContain(
      'was not opened: 127.0.0.1 is on this computer',
    );
    expect(await world.say('navigate', { url: `${url}/file` })).toMatch(/^error: .*was not opened/);
    const page = await world.say('navigate', { url });
    expect(page).toContain('Not loaded: 127.0.0.1 is on this computer');
    const clicked = await world.say('click', { site: hostOf(url), target: 'Local file' });
    expect(clicked).not.toContain('root:');
    expect(clicked).toContain(`URL: ${url}/`);
    expect(reached).toBe(0);
    hidden.close();
  });

  it('T4 dialogs, windows and downloads are answered, closed and refused, and each is told', async () => {
    const world = createBrowserWorld();
    const url = await world.serve((request, response) => {
      if (request.url === '/file.bin') {
        response.writeHead(200, {
          'content-type': 'application/octet-stream',
          'content-disposition': 'attachment; filename="tool.exe"',
        });
        response.end('MZ');
      } else {
        html(`<script>alert('hello \\u202eyou'); document.title = String(confirm('sure?'));
          addEventListener('beforeunload', (event) => event.preventDefault());</script>
          <a href="/other" target="_blank">New window</a><a href="/file.bin">Get it</a>`)(
          request,
          response,
        );
      }
    });
    const site = hostOf(url);
    const opened = await world.say('navigate', { url });
    expect(opened).toContain('dialog (alert), answered with OK: hello \\u{202e}you');
    expect(opened).toContain('dialog (confirm), answered with Cancel: sure?');
    expect(opened).toContain('Title: false');
    expect(await world.say('click', { site, target: 'New window' })).toContain(
      `opened a window for ${url}/other. It was closed`,
    );
    expect(await world.say('click', { site, target: 'Get it' })).toContain(
      'A download was blocked: tool.exe.',
    );
    expect(await world.say('navigate', { url: `${url}/file.bin` })).toContain(
      'was not opened: A download was blocked',
    );
    expect(await world.say('navigate', { url: `${url}/next` })).toContain(`URL: ${url}/next`);
  });

  it('T4 a page that hangs is given up at the time limit; the next page has another browser', async () => {
    const world = createBrowserWorld({ timeoutMs: 4_000 });
    const url = await world.serve(html('<button onclick="for (;;) ;">Hang</button><p>calm</p>'));
    const site = hostOf(url);
    await world.say('navigate', { url });
    expect(await world.say('click', { site, target: 'Hang' })).toMatch(
      /^unknown: The page hung for 4 s/,
    );
    expect(world.breakers.verdicts).toEqual(['browser.1 success', 'browser.1 failure']);
    expect(world.sessions.open()).toEqual([]);
    expect(await world.say('navigate', { url })).toContain('calm');
  });

  it('T4 a site that never answers is no failure of the browser, and endless redirects end', async () => {
    const world = createBrowserWorld({ timeoutMs: 5_000 });
    let hops = 0;
    const url = await world.serve((request, response) => {
      if (request.url === '/silent') return;
      if (request.url?.startsWith('/turn') === true)
        response.writeHead(302, { location: `/turn?${String((hops += 1))}` }).end();
      else
        html(
          '<script>setTimeout(() => { location.href = "/again?" + Math.random() }, 30)</script>moving',
        )(request, response);
    });
    expect(await world.say('navigate', { url: `${url}/silent` })).toMatch(
      /^failed: The site sent no complete response within 5 s/,
    );
    expect(world.breakers.verdicts).toEqual(['browser.1 success']);
    expect(await world.say('navigate', { url: `${url}/turn` })).toContain('ERR_TOO_MANY_REDIRECTS');
    expect(hops).toBeLessThan(30);
    expect(await world.call('navigate', { url: `${url}/moving` })).toMatchObject({
      kind: 'result',
    });
    expect(world.sessions.open()).toHaveLength(1);
  });

  it('T4 of a page with 100 MB of text the model gets 64 K characters at a time, from any offset', async () => {
    const world = createBrowserWorld({ timeoutMs: 120_000 });
    const url = await world.serve((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.write('<body><p>start</p>');
      const piece = `<p>${'word '.repeat(20_000)}</p>`;
      for (let sent = 0; sent < 100_000_000; sent += piece.length) response.write(piece);
      response.end();
    });
    const opened = await world.say('navigate', { url });
    expect(opened).toContain('[truncated; browser_read returns more]');
    expect(opened.length).toBeLessThan(6_000);
    const text = await world.say('read', {});
    expect(text.length).toBeLessThan(67_000);
    const next = /continue with offset (\d+)/.exec(text)?.[1];
    expect(next).toBe(String(64 * 1024));
    expect(await world.say('read', { offset: Number(next) })).toContain('offset 131072');
  });

  it('T4 a script of the page cannot replace what the page is looked at with, nor lie about its site', async () => {
    const world = createBrowserWorld();
    const url = await world.serve(
      html(`<script>
        Element.prototype.checkVisibility = () => false; Node.prototype.contains = () => true;
        performance.now = () => 0; String.prototype.trim = () => 'forged'; JSON.stringify = () => '{}';
        document.querySelectorAll = () => []; history.replaceState(0, '', '/else');
      </script><p>honest text</p><button>Real</button>`),
    );
    expect(await world.say('navigate', { url })).toContain('honest text');
    expect(await world.say('click', { site: hostOf(url), target: 'css=button' })).toContain(
      'Clicked button "Real"',
    );
  });

  it('S2-28 a page that loads itself anew all the time is told of in words, not in those of the protocol', async () => {
    const world = createBrowserWorld();
    const url = await world.serve(html('<meta http-equiv="refresh" content="0">again and again'));
    const said = [await world.say('navigate', { url })];
    for (let n = 0; n < 3; n += 1)
      said.push(
        await world.say('read', {}),
        await world.say('click', { site: hostOf(url), target: 'no element with that name' }),
      );
    expect(said.join('\n')).toMatch(/It may reload all the time/);
    for (const one of said) expect(one).not.toMatch(/context|frame|inspected|-320/i);
    // Nothing of it says that the browser is broken.
    expect(world.breakers.verdicts).not.toContain('browser.1 failure');
  });

  it('S2-18 a browser that is stopped like a frozen program is ended at the time limit', async () => {
    const world = createBrowserWorld({ timeoutMs: 2_000 });
    const url = await world.serve(html('calm'));
    await world.say('navigate', { url });
    const pid = world.sessions.open()[0]?.pid ?? 0;
    process.kill(pid, 'SIGSTOP');
    expect(await world.say('read', {})).toMatch(/^failed: The page hung for 2 s/);
    expect(() => process.kill(pid, 0)).toThrow();
    expect(world.breakers.verdicts.at(-1)).toBe('browser.1 failure');
  });

  it('a call that is stopped ends at once and closes its browser; a click is then unknown', async () => {
    const world = createBrowserWorld();
    const stop = new AbortController();
    const url = await world.serve((request, response) => {
      if (request.url?.startsWith('/slow') === true) stop.abort();
      else html('<form action="/slow"><button>Send</button></form>')(request, response);
    });
    await world.say('navigate', { url });
    const outcome = await world.call(
      'click',
      { site: hostOf(url), target: 'Send' },
      1,
      stop.signal,
    );
    expect(outcome).toMatchObject({ kind: 'unknown', message: expect.stringContaining('stopped') });
    expect(world.sessions.open()).toEqual([]);
    expect(world.breakers.verdicts).toEqual(['browser.1 success', 'browser.1 ignored']);
  });
});
