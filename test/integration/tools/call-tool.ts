import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import type { JsonValue } from '../../../electron/ports/provider';
import type { ToolHost } from '../../../electron/ports/tools';
import type { ToolCall, ToolOutcome } from '../../../electron/ports/tool-call';

/** A fresh folder that goes away after the test. */
export function useTempFolders(): () => string {
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  return () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-tools-')));
    folders.push(folder);
    return folder;
  };
}

export function toolCall(
  tool: string,
  args: JsonValue,
  workspace: string,
  over: Partial<ToolCall> = {},
): ToolCall {
  return {
    tool,
    args,
    turnId: 7,
    step: 3,
    idempotencyKey: 'turn-7-step-3',
    workspace,
    env: [],
    signal: new AbortController().signal,
    ...over,
  };
}

/** Calls and insists on a finished result. */
export async function resultOf(
  host: ToolHost,
  call: ToolCall,
): Promise<Extract<ToolOutcome, { kind: 'result' }>> {
  const outcome = await host.call(call);
  if (outcome.kind !== 'result') throw new Error(`${outcome.kind}: ${outcome.message}`);
  return outcome;
}
