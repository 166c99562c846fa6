/** What releases of real agents said, word for word, and what Holdfast makes of it. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAcpAgents } from '../../../electron/adapters/acp';
import { mergeReport, type CallState } from '../../../electron/engine/executors/acp/facts';
import { endOfTold, endsFromReplay } from '../../../electron/engine/executors/acp/plan';
import { createAgentQuestions } from '../../../electron/engine/executors/acp/ask-agent';
import type { ExternalAgent, ExternalEvent } from '../../../electron/ports/external-agent';

const AGENT = path.resolve('test/helpers/recorded-agent.mjs');
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

let root: string;
const running: ExternalAgent[] = [];
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-recorded-'));
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((agent) => agent.stop()));
  fs.rmSync(root, { recursive: true, force: true, maxRetries: 3 });
});

const hello = (name: string, more: object = {}) => ({
  result: {
    protocolVersion: 1,
    agentCapabilities: { loadSession: true },
    agentInfo: { name, version: '1.0.0' },
    authMethods: [],
    ...more,
  },
});
const started = async (
  answers: Readonly<Record<string, unknown>>,
  extra: { readonly model?: string; readonly login?: string } = {},
) => {
  const found = await createAcpAgents({
    instanceId: 'test-instance',
    runId: 'run-2',
    version: '0.0.0',
    loginEnvironment: () => Promise.resolve({ kind: 'own', reason: 'test' }),
    ownEnvironment: { PATH: process.env['PATH'], HOME: root },
    recordsDir: path.join(root, 'records'),
    orphanWaitMs: () => 5_000,
    log: quiet,
    timeouts: { leaveMs: 300 },
  }).start({
    agent: 'own',
    command: process.execPath,
    args: [AGENT, JSON.stringify(answers)],
    workspace: root,
    env: [],
    turnId: 7,
    signal: new AbortController().signal,
    ...extra,
  });
  if (found.kind === 'failure') throw new Error(found.failure.message);
  running.push(found.value);
  return found.value;
};
const asked = (): readonly { readonly method: string; readonly params: unknown }[] =>
  fs
    .readFileSync(path.join(root, 'asked.log'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly method: string; readonly params: unknown });
const heard = async (agent: ExternalAgent) => {
  const events: ExternalEvent[] = [];
  const end = await agent.prompt('s', 'go', {
    onEvent: (event) => events.push(event),
    onPermission: () => Promise.resolve({ kind: 'cancelled' }),
  });
  return { events, end };
};

describe('an agent without a login', () => {
  it.each([
    [
      'gemini-cli',
      { code: -32000, message: 'Gemini API key is missing or not configured.' },
      [
        {
          id: 'oauth-personal',
          name: 'Log in with Google',
          description: 'Log in with your Google account',
        },
        { id: 'vertex-ai', name: 'Vertex AI' },
      ],
      'Gemini API key is missing or not configured. Its ways to log in: oauth-personal (Log in with your Google account), vertex-ai (Vertex AI).',
    ],
    [
      'Copilot',
      { code: -32000, message: 'Authentication required' },
      [
        {
          id: 'copilot-login',
          name: 'Log in with Copilot CLI',
          description: 'Run `copilot login` in the terminal',
        },
      ],
      'Authentication required. Its ways to log in: copilot-login (Run `copilot login` in the terminal).',
    ],
    [
      'auggie',
      { code: -32000, message: 'Authentication required: Please run `auggie login`' },
      [],
      'Authentication required: Please run `auggie login`.',
    ],
  ])('S2-+05 %s: says which ways it offers', async (name, error, authMethods, words) => {
    const agent = await started({
      initialize: hello(name, { authMethods }),
      'session/new': { error },
    });
    const made = await agent.newSession();
    expect(made).toMatchObject({
      kind: 'failure',
      failure: { kind: 'login', message: `The agent could not log in to its provider: ${words}` },
    });
    if (made.kind === 'failure' && authMethods.length > 0)
      expect(made.failure.hint).toContain('"login"');
  });

  it('S2-+05 a test of an agent speaks of no turn: nothing of one is saved, and none resumes', async () => {
    const agent = await started({
      initialize: hello('Copilot'),
      'session/new': { error: { code: -32000, message: 'Authentication required' } },
    });
    const spec = { executor: 'acp' as const, command: 'copilot', workspace: root };
    const test = await createAgentQuestions(() =>
      Promise.resolve({ kind: 'ok', value: agent }),
    ).test('own', spec);
    expect(test).toEqual({
      ok: false,
      message:
        'The agent could not log in to its provider: Authentication required. Log in with the agent in a terminal, pass its API key by name with "env", or name one of its ways to log in with "login".',
    });
  });

  it('S2-+05 Cline: a way that it does not know is refused with the ways that it does', async () => {
    const agent = await started(
      {
        initialize: hello('cline', { authMethods: [{ id: 'cline', name: 'Sign in with Cline' }] }),
        'session/new': {
          error: {
            code: -32000,
            message: 'Authentication required: Call authenticate before starting a session',
          },
        },
        authenticate: { error: { code: -32000, message: 'Unknown auth method: key' } },
      },
      { login: 'key' },
    );
    expect(await agent.newSession()).toMatchObject({
      failure: { message: expect.stringContaining('cline (Sign in with Cline)') as unknown },
    });
  });
});

describe('the mode and the model of a new session', () => {
  it('S4-19 Qwen Code 0.24.4 opens in `auto`, where a classifier allows its calls, and is put into `default`, also if a script starts it', async () => {
    const agent = await started({
      initialize: hello('qwen-code'),
      'session/new': {
        result: {
          sessionId: 's',
          modes: {
            currentModeId: 'auto',
            availableModes: [
              { id: 'plan', name: 'Plan' },
              { id: 'default', name: 'Default' },
              { id: 'auto', name: 'Auto' },
              { id: 'yolo', name: 'YOLO' },
            ],
          },
        },
      },
      'session/set_mode': { result: {} },
    });
    expect(await agent.newSession()).toEqual({ kind: 'ok', value: 's' });
    expect(asked().at(-1)).toEqual({
      method: 'session/set_mode',
      params: { sessionId: 's', modeId: 'default' },
    });
  });

  it('Gemini CLI 0.61.0 has no option for its model and lists models: it is set as the agent does it', async () => {
    const answers = {
      initialize: hello('gemini-cli'),
      'session/new': {
        result: {
          sessionId: 's',
          models: {
            availableModels: [
              { modelId: 'auto', name: 'Auto' },
              { modelId: 'gemini-2.5-pro', name: 'gemini-2.5-pro' },
            ],
            currentModelId: 'auto',
          },
        },
      },
      'session/set_model': { result: {} },
    };
    const agent = await started(answers, { model: 'gemini-2.5-pro' });
    expect(await agent.newSession()).toEqual({ kind: 'ok', value: 's' });
    expect(asked().at(-1)).toEqual({
      method: 'session/set_model',
      params: { sessionId: 's', modelId: 'gemini-2.5-pro' },
    });
  });

  it('a model that the agent refuses is answered with the models that it has', async () => {
    const option = {
      id: 'model',
      category: 'model',
      type: 'select',
      currentValue: 'default',
      options: [
        { value: 'default', name: 'Default (recommended)' },
        { group: 'more', name: 'More', options: [{ value: 'opus', name: 'Opus' }] },
      ],
    };
    const agent = await started(
      {
        initialize: hello('@agentclientprotocol/claude-agent-acp'),
        'session/new': { result: { sessionId: 's', configOptions: [option] } },
        'session/set_config_option': { error: { code: -32602, message: 'Invalid params' } },
      },
      { model: 'gpt' },
    );
    expect(await agent.newSession()).toMatchObject({
      failure: {
        kind: 'start',
        hint: "Nothing was run. Its models: default, opus. Change the model of the agent, or leave it empty for the agent's default.",
      },
    });
  });
});

describe('the tokens of a prompt', () => {
  it.each([
    [
      'codex-acp 2.6.0, with what came from the cache',
      {
        stopReason: 'end_turn',
        usage: {
          totalTokens: 30,
          inputTokens: 16,
          cachedReadTokens: 4,
          cachedWriteTokens: 0,
          outputTokens: 10,
          thoughtTokens: 0,
        },
      },
      [],
      { inputTokens: 20, outputTokens: 10 },
    ],
    [
      'Gemini CLI 0.61.0, in its own field',
      {
        stopReason: 'end_turn',
        _meta: { quota: { token_count: { input_tokens: 20, output_tokens: 10 }, model_usage: [] } },
      },
      [],
      { inputTokens: 20, outputTokens: 10 },
    ],
    [
      'Qwen Code 0.24.4, for each of its calls of the model',
      { stopReason: 'end_turn' },
      [7, 11].map((outputTokens) => ({
        sessionUpdate: 'agent_message_chunk',
        content: { type: 'text', text: '' },
        _meta: { usage: { inputTokens: 10, outputTokens, totalTokens: 10 + outputTokens } },
      })),
      { inputTokens: 20, outputTokens: 18 },
    ],
    ['none are told', { stopReason: 'end_turn' }, [], { inputTokens: 0, outputTokens: 0 }],
  ])('S4-+09 %s', async (_name, result, updates, used) => {
    const agent = await started({
      initialize: hello('one'),
      'session/new': { result: { sessionId: 's' } },
      'session/prompt': { updates, result },
    });
    await agent.newSession();
    expect((await heard(agent)).end).toEqual({
      kind: 'ok',
      value: { stop: 'end_turn', ...used },
    });
  });
});

describe('what a command of Codex printed, as codex-acp 2.6.0 reports it', () => {
  const terminal = { terminal_id: 'call_1' };
  const begun = {
    sessionUpdate: 'tool_call',
    toolCallId: 'call_1',
    name: 'exec_command',
    kind: 'execute',
    title: 'make',
    status: 'in_progress',
    content: [{ type: 'terminal', terminalId: 'call_1' }],
    rawInput: { command: 'make', cwd: '/w' },
    _meta: { terminal_info: { cwd: '/w', ...terminal } },
  };
  const told = (more: object, meta: object) => ({
    sessionUpdate: 'tool_call_update',
    toolCallId: 'call_1',
    ...more,
    _meta: meta,
  });
  const printed = (data: string) => ({ terminal_output_delta: { data, ...terminal } });
  const exit = (code: number) => ({
    terminal_exit: { exit_code: code, signal: null, ...terminal },
  });

  const stateAfter = async (updates: readonly object[]): Promise<CallState | undefined> => {
    const agent = await started({
      initialize: hello('@agentclientprotocol/codex-acp'),
      'session/new': { result: { sessionId: 's' } },
      'session/prompt': { updates, result: { stopReason: 'end_turn' } },
    });
    await agent.newSession();
    let state: CallState | undefined;
    for (const event of (await heard(agent)).events)
      if (event.kind === 'tool') state = mergeReport(state, event.report);
    return state;
  };

  it.each([
    [
      'in parts while it runs',
      [
        begun,
        told({}, printed('one\n')),
        told({}, printed('two\n')),
        told({ status: 'completed' }, exit(0)),
      ],
      { state: 'completed', text: 'one\ntwo\n', isError: false },
    ],
    [
      'with its exit code if it failed',
      [begun, told({ status: 'failed' }, { ...printed('err\n'), ...exit(3) })],
      { state: 'completed', text: 'err\n\n[exit code 3]', isError: true },
    ],
    [
      'nothing',
      [begun, told({ status: 'completed' }, exit(0))],
      { state: 'completed', text: '(no output)', isError: false },
    ],
  ])('S4-19 %s', async (_name, updates, end) => {
    const state = await stateAfter(updates);
    expect(state && endOfTold({ state, asking: undefined, isEnding: false })).toEqual(end);
  });

  it('S4-20 a loaded session tells the end of a command after its status: it counts as done; without an end it proves nothing', async () => {
    const known = {
      step: 2,
      callId: 'call_1',
      identity: 'x',
      title: 'make',
      tool: 'codex.shell',
      isEffect: true,
      outcome: 'unknown' as const,
    };
    const replayed = async (updates: readonly object[]) => {
      const agent = await started({
        initialize: hello('@agentclientprotocol/codex-acp'),
        'session/load': { updates, result: {} },
      });
      const events: ExternalEvent[] = [];
      await agent.loadSession('s', (event) => events.push(event));
      return endsFromReplay([known], events, () => false);
    };
    const done = { ...begun, status: 'completed' };
    expect(await replayed([done, told({}, { ...printed('end\n'), ...exit(0) })])).toEqual([
      { step: 2, output: 'end\n' },
    ]);
    expect(await replayed([done])).toEqual([]);
  });

  it('S4-19 a call that is announced without a title is one all the same', async () => {
    const { title: _title, ...untitled } = begun;
    const state = await stateAfter([untitled, told({ status: 'completed' }, exit(0))]);
    expect(state).toMatchObject({ status: 'completed', input: { command: 'make', cwd: '/w' } });
  });

  it('updates of kinds that Holdfast does not know are signs of life', async () => {
    const agent = await started({
      initialize: hello('@agentclientprotocol/codex-acp'),
      'session/new': { result: { sessionId: 's' } },
      'session/prompt': {
        updates: [
          { sessionUpdate: 'session_info_update', title: 'x' },
          { sessionUpdate: 'config_option_update', configOptions: [] },
          { sessionUpdate: 'kind_of_a_later_version', x: 1 },
        ],
        result: { stopReason: 'end_turn' },
      },
    });
    await agent.newSession();
    expect((await heard(agent)).events).toEqual([
      { kind: 'sign' },
      { kind: 'sign' },
      { kind: 'sign' },
    ]);
  });
});
