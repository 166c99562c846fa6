import { describe, expect, it } from 'vitest';
import { classifyAcpError } from '../../../electron/adapters/acp/classify-acp-error';
import { identifyAgent } from '../../../electron/adapters/command/identify-agent';

const internal = (message: string, data?: unknown) => ({ code: -32603, message, data });

describe('what an error of an agent means', () => {
  it.each([
    [
      'codex',
      internal('Internal error', { codex_error_info: 'usage_limit_exceeded 429' }),
      'provider',
    ],
    ['opencode', internal('Internal error', { errorName: 'ProviderAuthError 401' }), 'login'],
    ['gemini', internal('Internal error', { code: 401 }), 'login'],
    [
      'gemini',
      internal('Internal error', { details: 'No previous sessions found' }),
      'session_unknown',
    ],
    ['claude', { code: -32000, message: 'Authentication required' }, 'login'],
    ['other', { code: -32002, message: 'Resource not found' }, 'session_unknown'],
    ['other', internal('fetch failed'), 'provider'],
    ['other', internal('I do not want to'), 'refused'],
  ] as const)('%s: %j is %s', (id, error, kind) => {
    const failure = classifyAcpError(id, error);
    expect(failure.kind).toBe(kind);
    expect(failure.hint).not.toBe('');
  });

  it('foreign text stays one inert line', () => {
    const { message } = classifyAcpError('other', internal(`a\n\u001b[31m${'x'.repeat(5000)}`));
    expect(message).not.toMatch(/[\n\u001b]/);
    expect(message.length).toBeLessThan(400);
  });
});

describe('which agent a command starts', () => {
  it.each([
    ['/usr/bin/opencode', ['acp'], 'opencode'],
    ['npx', ['-y', '@zed-industries/codex-acp@0.16.0'], 'codex'],
    ['npx', ['-y', '@agentclientprotocol/codex-acp@2.6.0'], 'codex'],
    ['npx', ['@google/gemini-cli', '--acp'], 'gemini'],
    ['claude-agent-acp', [], 'claude'],
    ['goose', ['acp'], 'goose'],
    ['copilot', ['--acp'], 'copilot'],
    ['npx', ['-y', '@qwen-code/qwen-code@0.24.4', '--acp'], 'qwen'],
    ['node', ['agent.mjs'], 'other'],
  ] as const)('%s %j: %s', (command, args, id) => {
    expect(identifyAgent(command, args)).toBe(id);
  });
});
