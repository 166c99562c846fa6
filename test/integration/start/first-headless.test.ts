/** The first start without a window proposes what the window's first start does, and says so. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callsThenDone, createSite, effect, stalledEffect, until } from '../rows/site';
import type { Site } from '../rows/site';

const KEY = 'resilience.recovery.side_effect_tools';
const NOTE = 'First start on this data directory';

let site: Site;
beforeEach(async () => {
  site = await createSite();
});
afterEach(() => site.remove());

const file = (): string => path.join(site.dataDir, 'config.json');
const written = (): unknown => JSON.parse(fs.readFileSync(file(), 'utf8'));
const entry = (): Promise<{ value: unknown; source: string }> =>
  site.json<{ value: unknown; source: string }>('config', 'get', KEY);
const PROPOSED = { resilience: { recovery: { side_effect_tools: ['shell:effects'] } } };

describe('the first headless start', () => {
  it('S0-37 puts shell:effects on the list, says so once, and leaves it to the next starts', async () => {
    const first = await site.start();
    expect(written()).toEqual(PROPOSED);
    expect(await entry()).toMatchObject({ value: ['shell:effects'], source: 'file' });
    await until('it says so', () => first.err().includes(NOTE));
    expect(first.err()).toContain(`holdfast config set ${KEY} '[]'`);
    await expect
      .poll(() => site.audit().filter(({ event }) => event === 'setting_changed'))
      .toMatchObject([{ facts: { key: KEY, by: 'first_start' } }]);
    expect((await site.hf('config', 'set', KEY, '[]')).code).toBe(0);
    await site.stop(first);
    const second = await site.start();
    expect((await entry()).value).toEqual([]);
    expect((await site.stop(second)).err).toBe('');
  });

  it('S0-37 an interrupted command that changes something needs review after a SIGKILL, and has run once', async () => {
    await site.stop(await site.start());
    const { resilience } = written() as typeof PROPOSED;
    site.configure({ resilience });
    site.fp.setScript(callsThenDone(stalledEffect('run')));
    const host = await site.start();
    const change = await site.send('please change', '--session', 'one', '--agent', 'a');
    await until('the command has started', () => site.effects().length === 1);
    await site.kill(host);
    expect(host.err()).toBe('');
    await site.start();
    await site.turnIn(change, 'held');
    expect(site.effects()).toHaveLength(1);
  });

  it('S0-37 never touches a settings file: what it says stays, byte for byte, empty too', async () => {
    for (const text of ['{}\n', '{\n  "limits": { "turn_steps": 40 }\n}\n']) {
      fs.rmSync(site.dataDir, { recursive: true });
      fs.mkdirSync(site.dataDir, { mode: 0o700 });
      fs.writeFileSync(file(), text, { mode: 0o600 });
      const host = await site.start();
      expect((await entry()).source).toBe('default');
      const { err } = await site.stop(host);
      expect([err, fs.readFileSync(file(), 'utf8')]).toEqual(['', text]);
    }
  });

  it('S0-37 leaves data that has been worked with as it is, though its settings file is gone', async () => {
    await site.stop(await site.start());
    fs.rmSync(file());
    const host = await site.start();
    expect(await entry()).toMatchObject({ value: [], source: 'default' });
    expect((await site.stop(host)).err).toBe('');
  });

  it('S0-37 is still a first start after 2 commands that were rejected, and one after a setting is not', async () => {
    const rejected = [
      ['config', 'set', 'limits.turn_steps', 'many'],
      ['config', 'unset', 'no.such.setting'],
    ];
    for (const words of rejected) expect((await site.hf(...words)).code).not.toBe(0);
    expect(fs.existsSync(path.join(site.dataDir, 'holdfast.db'))).toBe(true);
    const first = await site.start();
    expect(written()).toEqual(PROPOSED);
    await site.stop(first);
    fs.rmSync(site.dataDir, { recursive: true });
    expect((await site.hf('config', 'set', 'limits.turn_steps', '40')).code).toBe(0);
    expect((await site.stop(await site.start())).err).toBe('');
    expect(written()).toEqual({ limits: { turn_steps: 40 } });
  });

  it('S0-37 with --json names the settings that it wrote', async () => {
    const host = site.launch(['start', '--headless', '--json']);
    await until('it runs', () => host.out().includes('\n'));
    const { out, err } = await site.stop(host);
    expect([JSON.parse(out), err]).toMatchObject([{ firstSettings: [KEY] }, '']);
  });

  it('S0-37 says nothing where an environment variable overrides the list', async () => {
    const env = { HOLDFAST_CONFIG__resilience__recovery__side_effect_tools: '["mail.send"]' };
    const host = site.launch(['start', '--headless'], '', env);
    await until('it runs', () => host.out().includes('\n'));
    expect(await entry()).toMatchObject({ value: ['mail.send'], source: 'environment' });
    expect((await site.stop(host)).err).toBe('');
  });

  it('S0-37 is a first start again, or has written the list, however early it is killed', async () => {
    let kills = 0;
    for (let afterMs = 0; !fs.existsSync(path.join(site.dataDir, 'holdfast.db')); afterMs += 15) {
      const host = site.launch(['start', '--headless']);
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      await site.kill(host);
      kills += 1;
    }
    expect(kills).toBeGreaterThan(2);
    expect(written()).toEqual(PROPOSED);
    await site.start();
    expect(await entry()).toMatchObject({ value: ['shell:effects'], source: 'file' });
  });
});

/** Notes each first step into the rules of languages: the first costs 10 to 30 ms of processor. */
const WATCHER = `
const fs = require('node:fs');
const note = (name) => fs.appendFileSync(process.env.WATCHED, name + '\\n');
for (const name of ['NumberFormat', 'DateTimeFormat', 'PluralRules', 'Collator', 'Segmenter']) {
  const own = Intl[name];
  const watched = function (...args) {
    note(name);
    return Reflect.construct(own, args);
  };
  Intl[name] = Object.assign(watched, { supportedLocalesOf: own.supportedLocalesOf });
}
for (const own of [Number.prototype, Date.prototype]) {
  const { toLocaleString } = own;
  own.toLocaleString = function (...args) {
    note('toLocaleString');
    return toLocaleString.apply(this, args);
  };
}
`;

describe('W4 the rules of languages', () => {
  it('W4 are not loaded by a start with 2 agents and a provider, nor by a turn with a command', async () => {
    site.configure();
    const watcher = path.join(path.dirname(site.workspace), 'watcher.cjs');
    const watched = path.join(path.dirname(site.workspace), 'watched');
    fs.writeFileSync(watcher, WATCHER);
    fs.writeFileSync(watched, '');
    site.fp.setScript(callsThenDone(effect('one')));
    const env = { NODE_OPTIONS: `--require ${watcher}`, WATCHED: watched };
    const host = site.launch(['start', '--headless'], '', env);
    await until('the host is ready', () => host.out().includes('\n'));
    await site.turnIn(await site.send('please change', '--agent', 'a'), 'completed');
    expect(fs.readFileSync(watched, 'utf8')).toBe('');
    await site.stop(host);
    const own = `process.stdout.write((1234).toLocaleString('en'))`;
    execFileSync(process.execPath, ['-e', own], { env: { ...process.env, ...env } });
    expect(fs.readFileSync(watched, 'utf8')).toContain('toLocaleString');
  });
});
