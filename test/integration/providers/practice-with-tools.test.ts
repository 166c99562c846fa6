import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createSystemClock } from '../../../electron/adapters/clock/system-clock';
import { createFileTools } from '../../../electron/adapters/files/file-tools';
import {
  createPracticeProvider,
  practiceFiles,
} from '../../../electron/engine/executors/llm/practice';
import type { Message } from '../../../electron/ports/provider';
import { answerOf } from './provider-harness';

let workspace: string;
beforeEach(async () => {
  workspace = await mkdtemp(join(tmpdir(), 'holdfast-practice-'));
});
afterEach(() => rm(workspace, { recursive: true, force: true }));

it('S4-10 the practice script works with the real file tools: 3 calls, notes on disk', async () => {
  for (const file of practiceFiles()) await writeFile(join(workspace, file.path), file.content);
  const host = createFileTools({ crashPoints: { hit: () => undefined } });
  const provider = createPracticeProvider({ clock: createSystemClock(), delayMs: 30 });
  const { signal } = new AbortController();
  const messages: Message[] = [{ role: 'user', text: 'Make notes of my list' }];
  const tools = host.tools();
  const results: boolean[] = [];
  for (let step = 0; step < 10; step += 1) {
    const request = { provider: 'practice', model: 'script', system: '', messages, tools };
    const { parts } = answerOf(await provider.stream(request, { signal, onText: () => undefined }));
    messages.push({ role: 'assistant', parts });
    const call = parts.find((part) => part.kind === 'tool_call');
    if (call?.kind !== 'tool_call') break;
    const outcome = await host.call({
      tool: call.tool,
      args: call.args,
      turnId: 1,
      step,
      idempotencyKey: `practice-${String(step)}`,
      workspace,
      env: [],
      signal,
    });
    if (outcome.kind !== 'result') throw new Error(outcome.message);
    results.push(outcome.isError);
    const { content, isError } = outcome;
    messages.push({ role: 'tool', callId: call.callId, tool: call.tool, content, isError });
  }
  expect(results).toEqual([false, false, false]);
  const notes = await readFile(join(workspace, 'notes.md'), 'utf8');
  expect(notes).toContain('Task: Make notes of my list');
  expect(notes).toContain('- The bakery is closed on Tuesday.');
  expect(JSON.stringify(messages.at(-1))).toContain('as written');
});
