/** The longest time in which the event loop answers nobody while hostile text is at work. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { compareLines } from '../../../electron/adapters/drafts/line-diff';
import { parseJson } from '../../../electron/adapters/config/parse-json';
import { htmlToText } from '../../../electron/adapters/fetch/html-text';
import { inertLine } from '../../../electron/adapters/tools/tool-host';
import { maskSecrets } from '../../../electron/adapters/providers/mask-secrets';
import { createSkillCatalog } from '../../../electron/adapters/skills/skill-catalog';
import { namedRemote } from '../../../electron/engine/shell-policy/git-remote';
import { hasShellEffects } from '../../../electron/engine/shell-policy/shell-effects';
import { shellRisk } from '../../../electron/engine/shell-policy/shell-risk';
import { judgeSleep } from '../../../electron/engine/shell-policy/sleep-guard';
import { createRedactor, redact, redactText } from '../../../shared/redact';
import { once } from '../../../shared/once';
import { parseSchedule } from '../../../shared/schedule/grammar';
import { hostileFronts } from '../../helpers/hostile-skills';
import { hostileTexts } from '../../helpers/hostile-text';
import { FLOODS } from './pause-floods';
import type { Report } from './report';

const BUDGET_MS = 50;
const KB = 1024;
const SECTION = 'Longest pause of the event loop';

/** Kept open: it is read at each turn of the loop. */
const threadFigures = once(() => {
  try {
    return fs.openSync('/proc/thread-self/schedstat', 'r');
  } catch {
    return undefined; // no Linux
  }
});
const said = Buffer.alloc(100);

/** How long this thread has waited for a core so far: other programs decide that, and not what is measured. */
function waitedForCoreMs(): number {
  const file = threadFigures();
  if (file === undefined) return 0;
  const [, waitedNs] = said.toString('latin1', 0, fs.readSync(file, said, 0, 100, 0)).split(' ');
  return Number(waitedNs) / 1e6;
}

/** How long the loop was away at most while `work` ran, without the times when other programs had its core. */
export async function longestPauseMs(work: () => unknown): Promise<number> {
  let longestMs = 0;
  let lastMs = performance.now() - waitedForCoreMs();
  let isOver = false;
  const look = (): void => {
    const nowMs = performance.now() - waitedForCoreMs();
    longestMs = Math.max(longestMs, nowMs - lastMs);
    lastMs = nowMs;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  await new Promise((resolve) => setImmediate(resolve));
  await work();
  await new Promise((resolve) => setImmediate(resolve));
  isOver = true;
  return longestMs;
}

/** A redactor that was told of 50 keys and a few words. */
const knowing = once(() => {
  const redactor = createRedactor();
  for (let n = 0; n < 50; n += 1)
    redactor.learn(`canary-${String(n)}-${String(n * 7919).repeat(12)}-x`);
  for (const word of ['hunter2', 'correct-horse', '50719386']) redactor.learn(word);
  return redactor;
});

/** Each reader of text, with the longest text that reaches it. */
const READERS: Readonly<Record<string, readonly [(text: string) => unknown, number]>> = {
  'shell line, effects': [hasShellEffects, 20_000],
  'shell line, risk': [shellRisk, 20_000],
  'shell line, sleep': [judgeSleep, 200_000],
  'shell line, git remote': [namedRemote, 20_000],
  'log text': [redactText, 64 * KB],
  'log field': [redact, 1024 * KB],
  'text, secrets known': [knowing().redactText, 1024 * KB],
  'fields, secrets known': [(text) => knowing().redact(Array(50).fill(text)), 64 * KB],
  'error of a provider': [(text) => maskSecrets(text, ['sk-canary-0123456789abcdef']), 64 * KB],
  'page of the web': [htmlToText, 1024 * KB],
  'text for one line': [inertLine, 1024 * KB],
  'settings file': [parseJson, 1024 * KB],
  schedule: [parseSchedule, 1024 * KB],
};

async function readerFigures(report: Report): Promise<void> {
  for (const [name, [read, chars]] of Object.entries(READERS)) {
    let worst = { ms: 0, shape: '' };
    for (const [shape, text] of Object.entries(hostileTexts(chars))) {
      const ms = await longestPauseMs(async () => {
        try {
          await read(text);
        } catch {
          // Refused is as good as read.
        }
      });
      if (ms > worst.ms) worst = { ms, shape };
    }
    add(
      report,
      name,
      worst.ms,
      `${String(chars / 1000)} thousand characters, worst: ${worst.shape}`,
    );
  }
}

function add(report: Report, name: string, value: number, note: string): void {
  report.add(SECTION, { name, value, unit: 'ms', budget: { sense: '<=', limit: BUDGET_MS }, note });
}

async function skillFigure(report: Report): Promise<void> {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-bench-skills-'));
  const fronts = [...Object.values(hostileFronts(8 * KB)), ...Object.values(hostileFronts(63_000))];
  for (let index = 0; index < 500; index += 1) {
    const folder = path.join(root, `s${String(index)}`);
    fs.mkdirSync(folder);
    const front = fronts[index % fronts.length] ?? '';
    fs.writeFileSync(path.join(folder, 'SKILL.md'), `---\n${front}\n---\nWork.\n`);
  }
  const shelf = createSkillCatalog({
    dataFolder: root,
    folders: () => [],
    env: {},
    loginEnv: () => Promise.resolve({}),
  });
  const startMs = performance.now();
  const pauseMs = await longestPauseMs(() => shelf.look(''));
  const tookMs = performance.now() - startMs;
  add(report, 'skills', pauseMs, `500 hostile folders, read in ${tookMs.toFixed(0)} ms`);
  fs.rmSync(root, { recursive: true, force: true });
}

async function diffFigure(report: Report): Promise<void> {
  const lines = (count: number, kinds: number, from: number): string[] =>
    Array.from({ length: count }, (_, at) => String((at * 7919 + from) % kinds));
  const pairs: Readonly<Record<string, readonly [string[], string[]]>> = {
    'all different': [lines(200_000, 1e9, 0), lines(200_000, 1e9, 5)],
    'two kinds of lines': [lines(200_000, 2, 0), lines(200_000, 3, 1)],
    'turned around': [lines(100_000, 1e9, 0), lines(100_000, 1e9, 0).reverse()],
  };
  let worst = { ms: 0, name: '' };
  for (const [name, [from, to]] of Object.entries(pairs)) {
    const ms = await longestPauseMs(() => compareLines(from, to));
    if (ms > worst.ms) worst = { ms, name };
  }
  add(report, 'comparison of two drafts', worst.ms, `200,000 lines each, worst: ${worst.name}`);
}

export async function addPauseFigures(report: Report): Promise<void> {
  await skillFigure(report);
  await readerFigures(report);
  await diffFigure(report);
  for (const [name, flood] of Object.entries(FLOODS)) {
    // The first time also loads what answers it.
    await flood();
    add(report, name, await longestPauseMs(flood), '');
  }
}
