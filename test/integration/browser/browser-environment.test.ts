/** What the browser of an agent receives of the environment and what of its words is passed on, by the built program. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Site } from '../rows/site';
import { createSite, resultsIn, until } from '../rows/site';

let site: Site;

beforeEach(async () => {
  site = await createSite();
});
afterEach(() => site.remove());

it('S2-+05 the browser of an agent gets the plain variables and our markers, and none of 6 that look like a secret', async () => {
  const out = path.join(site.workspace, '..', 'seen');
  const command = path.join(site.workspace, '..', 'chromium');
  fs.writeFileSync(command, `#!/bin/sh\nenv > '${out}.part'\nmv '${out}.part' '${out}'\nexit 1\n`, {
    mode: 0o755,
  });
  site.configure({
    browser: { command, local_hosts: ['127.0.0.1'] },
    approvals: { tools: { 'browser.*': 'allow' } },
  });
  site.fp.setScript((request) =>
    resultsIn(request) === 0
      ? { toolCalls: [{ name: 'browser_navigate', args: { url: 'http://127.0.0.1:9/' } }] }
      : { text: 'done' },
  );
  const secrets = ['A_TOKEN', 'B_KEY', 'C_SECRET', 'D_PASSWORD', 'E_CREDENTIALS', 'OPENAI_API_KEY'];
  const host = site.launch(['start', '--headless'], '', {
    ...Object.fromEntries(secrets.map((name) => [name, `canary-${name}`])),
    DATABASE_URL: 'postgres://user:canary-url@host/db',
    PLAIN: 'plain-value',
  });
  await until('the host is ready', () => host.out().includes('\n'));
  const turnId = await site.send('look');
  await until('the browser was started', () => fs.existsSync(out));
  const seen = fs.readFileSync(out, 'utf8');
  expect(seen).not.toContain('canary');
  expect(seen).toContain('PLAIN=plain-value');
  expect(seen).toMatch(/^HOLDFAST_BROWSER=\d+$/m);
  expect(seen).toMatch(/^HOLDFAST_INSTANCE=.+$/m);
  // A browser that ends at once is a failed call, not a failed turn.
  await site.turnIn(turnId, 'completed');
});

it('R2 words of a browser that cannot be started reach the model and the pages without a secret that the settings name', async () => {
  const canary = 'orchid-4f1d9a77c0ffee0123456789abcdef';
  const command = path.join(site.workspace, '..', 'chromium');
  fs.writeFileSync(command, `#!/bin/sh\necho 'no login for ${canary} here' >&2\nexit 1\n`, {
    mode: 0o755,
  });
  site.configure({
    browser: { command, local_hosts: ['127.0.0.1'] },
    channels: {
      team: { kind: 'webhook', url: 'http://127.0.0.1:9/', secret_env: 'TEAMWORD' },
    },
    approvals: { tools: { 'browser.*': 'allow' } },
  });
  const told: string[] = [];
  site.fp.setScript((request) => {
    told.push(JSON.stringify(request));
    return resultsIn(request) === 0
      ? { toolCalls: [{ name: 'browser_navigate', args: { url: 'http://127.0.0.1:9/' } }] }
      : { text: 'done' };
  });
  const host = site.launch(['start', '--headless'], '', { TEAMWORD: canary });
  await until('the host is ready', () => host.out().includes('\n'));
  const turnId = await site.send('look');
  await site.turnIn(turnId, 'completed');
  expect(told.at(-1)).toContain('no login for [redacted] here');
  const shown = await site.hf('turns', 'show', String(turnId), '--json');
  const breakers = await site.hf('breakers', 'list', '--json');
  expect(shown.out).toContain('no login for [redacted] here');
  expect([...told, shown.out, breakers.out].join('\n')).not.toContain('4f1d9a77c0ffee');
});
