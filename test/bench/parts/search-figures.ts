/** The search index over many steps: its size beside the texts, batches, and searches. SR-01, SR-02 */
import fs from 'node:fs';
import path from 'node:path';
import { openSearchIndex } from '../../../electron/adapters/search/search-index';
import { createSearch, entryMarks } from '../../../electron/engine/search/search';
import type { SearchText } from '../../../electron/ports/search';
import { median } from './numbers';
import { inFolder } from './programs';
import type { Report } from './report';

/** Like a language: few words are in most texts, most words in few. */
const WORDS = 60_000;
const wordOf = (rank: number): string =>
  `w${((rank * 2_654_435_761) % 4_294_967_296).toString(36)}`;

function createTexts(steps: number) {
  let state = 7;
  const random = (): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
  const known = Array.from({ length: WORDS }, (_, rank) => wordOf(rank));
  const textOf = (seq: number): SearchText => {
    state = seq;
    for (let warm = 0; warm < 3; warm += 1) random();
    const words = Array.from(
      { length: 40 + Math.floor(random() * 80) },
      () => known[Math.floor(WORDS ** random()) - 1] ?? '',
    );
    if (seq % 9_973 === 0) words.push('needle');
    return {
      seq,
      atMs: seq * 1000,
      part: 'result',
      text: words.join(' '),
      turnId: Math.ceil(seq / 20),
      sessionId: (seq % 50) + 1,
      session: 'main',
      agent: `agent-${String(seq % 5)}`,
      tool: 'shell.run',
    };
  };
  return {
    lastSeq: () => steps,
    isThere: () => true,
    read: (seqs: readonly number[]) => Promise.resolve(seqs.map(textOf)),
    after: (seq: number, limit: number) => {
      const toSeq = Math.min(steps, seq + limit);
      const texts = Array.from({ length: toSeq - seq }, (_, at) => textOf(seq + at + 1));
      return Promise.resolve({ texts, toSeq, isMore: toSeq < steps });
    },
    textOf,
  };
}

export async function addSearchFigures(
  report: Report,
  repeats: number,
  steps: number,
): Promise<void> {
  await inFolder(async (dir) => {
    const section = `Search over ${String(steps)} steps`;
    const file = path.join(dir, 'search.db');
    const texts = createTexts(steps);
    const index = openSearchIndex({
      file,
      isReadOnly: false,
      databaseId: 'bench',
      texts,
      seqAt: (atMs) => Math.floor(atMs / 1000),
      marksOf: entryMarks,
    });
    const batches: number[] = [];
    for (let isMore = true; isMore;) {
      const startedMs = performance.now();
      isMore = await index.fill();
      batches.push(performance.now() - startedMs);
    }
    batches.sort((a, b) => a - b);
    const at = (part: number): number => batches[Math.floor((batches.length - 1) * part)] ?? 0;
    report.add(section, { name: 'one batch, median', value: at(0.5), unit: 'ms', note: '64 entries' }); // prettier-ignore
    report.add(section, { name: 'one batch, 99th of 100', value: at(0.99), unit: 'ms', note: '' });
    let bytes = 0;
    for (let seq = 1; seq <= steps; seq += 100) bytes += texts.textOf(seq).text.length * 100;
    const size = ['', '-wal'].reduce((sum, end) => sum + (fs.existsSync(file + end) ? fs.statSync(file + end).size : 0), 0); // prettier-ignore
    report.add(section, { name: 'index beside the texts', value: (100 * size) / bytes, unit: '%', budget: { sense: '<=', limit: 35 }, note: `${(bytes / 1e6).toFixed(0)} MB of text` }); // prettier-ignore
    const find = createSearch({
      index: () => Promise.resolve(index),
      catchUp: () => Promise.resolve(0),
      sessionId: Number,
      redactor: { redactText: (text) => text },
      monotonicMs: () => performance.now(),
      rest: () => Promise.resolve(),
    });
    const cases = {
      'a rare word': { words: 'needle' },
      'a common word': { words: wordOf(1) },
      'a rare and a common word': { words: `${wordOf(1)} needle` },
      'a beginning of words': { words: 'w1a' },
      'words of one session and agent': { words: wordOf(3), session: '7', agent: 'agent-1' },
      'words side by side': { words: `"${wordOf(1)} ${wordOf(2)}"` },
    };
    for (const [name, input] of Object.entries(cases)) {
      const times: number[] = [];
      for (let n = 0; n < repeats; n += 1) {
        const startedMs = performance.now();
        await find({ ...input, limit: 50 });
        times.push(performance.now() - startedMs);
      }
      report.add(section, {
        name,
        value: median(times),
        unit: 'ms',
        budget: { sense: '<=', limit: 200 },
        note: 'first page of 50',
      });
    }
    index.close();
  });
}
