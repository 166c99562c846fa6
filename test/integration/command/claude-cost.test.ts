/** The count of a conversation in a record of Claude Code, however long and however it ends. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { claudeCostBefore, costOfRun } from '../../../electron/adapters/command/claude-cost';

let home: string;
beforeEach(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-test-'));
});
afterEach(() => fs.rmSync(home, { recursive: true, force: true }));

const count = (usd: unknown): string =>
  `${JSON.stringify({ type: 'cost-state', totalCostUSD: usd })}\n`;
const said = (chars: number): string => `${JSON.stringify({ text: 'é'.repeat(chars / 2) })}\n`;

it.each([
  ['no count: a release before 2.1.277', said(100), 0],
  ['the last of two', `${count(1)}${said(100)}${count(2.5)}`, 2.5],
  ['one behind which a killed run wrote 3 MB', `${count(7)}${said(3_000_000)}`, 7],
  ['one behind which stands a line of 9 MB', `${count(7)}${said(9_000_000)}${said(10)}`, 7],
  ['one over the edge of what is read at a time', `${count(7)}${said(1024 * 1024 - 30)}`, 7],
  ['a last line that was cut off', `${count(3)}${count(4).slice(0, -6)}`, 3],
  ['a count that is none', `${count(3)}${count('4')}${count(-1)}`, 3],
  ['words about "cost-state" in a message', `${count(3)}{"text":"\\"cost-state\\""}\n`, 3],
  ['nothing', '', 0],
])('S4-+09 a record with %s', async (_what, text, usd) => {
  const project = path.join(home, '.claude', 'projects', '-home-me-work');
  fs.mkdirSync(project, { recursive: true });
  fs.mkdirSync(path.join(home, '.claude', 'projects', '-another'));
  fs.writeFileSync(path.join(project, 'one.jsonl'), text);
  expect(await claudeCostBefore({ HOME: home }, 'one')).toBe(usd);
});

it('S4-+09 a record that is not there, or elsewhere by CLAUDE_CONFIG_DIR', async () => {
  expect(await claudeCostBefore({ HOME: home }, 'one')).toBe(0);
  expect(await claudeCostBefore({}, 'one')).toBe(0);
  const moved = path.join(home, 'moved');
  fs.mkdirSync(path.join(moved, 'projects', 'p'), { recursive: true });
  fs.writeFileSync(path.join(moved, 'projects', 'p', 'one.jsonl'), count(2));
  expect(await claudeCostBefore({ HOME: home, CLAUDE_CONFIG_DIR: moved }, 'one')).toBe(2);
});

it.each([
  [0.84, 0.42, 0.42],
  [0.3, 0.42, 0.3],
])('S4-+09 told %s after %s: the run has cost %s', (told, before, own) => {
  expect(costOfRun(told, before)).toBeCloseTo(own);
});
