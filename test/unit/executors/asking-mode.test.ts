import { describe, expect, it } from 'vitest';
import { KNOWN_AGENTS } from '../../../electron/adapters/acp/known-agents';
import { askingModeFor } from '../../../electron/adapters/acp/settle-session';

const agent = (id: string) => KNOWN_AGENTS.find((one) => one.id === id);
const session = (currentModeId: unknown, ...ids: string[]) => ({
  modes: { currentModeId, availableModes: ids.map((id) => ({ id })) },
});

describe('S4-19 the mode in which an agent asks before it changes something', () => {
  it.each([
    ['claude', session('auto', 'default', 'acceptEdits', 'auto'), 'default'],
    ['claude', session('default', 'default', 'auto'), undefined],
    ['claude', session('acceptEdits', 'default', 'acceptEdits'), undefined],
    ['claude', session('bypassPermissions', 'default', 'auto'), undefined],
    ['claude', session('auto', 'auto'), undefined],
    ['claude', session(7, 'default'), undefined],
    ['claude', {}, undefined],
    ['claude', { modes: null }, undefined],
    ['codex', session('agent', 'read-only', 'workspace-write', 'agent'), 'read-only'],
    ['codex', session('workspace-write', 'read-only', 'workspace-write'), undefined],
    ['codex', session('read-only', 'read-only', 'auto', 'full-access'), undefined],
    ['qwen', session('auto', 'plan', 'default', 'auto-edit', 'auto', 'yolo'), 'default'],
    ['qwen', session('yolo', 'default', 'auto', 'yolo'), undefined],
    ['gemini', session('default', 'default', 'yolo'), undefined],
    ['other', session('auto', 'default', 'auto'), undefined],
  ])('%s in %j: %s', (id, answer, mode) => {
    expect(askingModeFor(agent(id), answer)).toBe(mode);
  });
});
