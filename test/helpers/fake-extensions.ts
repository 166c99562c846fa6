/** Agents of other programs and MCP servers of the fake engine: one of every kind that is shown. */
import type { Answer, VerbInput, VerbOutput } from '../../shared/contract';
import type { DetectedAgent, ExtView } from '../../shared/types';

const MINUTE = 60_000;

/** One that can be used at once, one whose adapter is missing, two that are not here. */
export function seedDetected(): DetectedAgent[] {
  return [
    {
      id: 'claude',
      name: 'Claude Code',
      isInstalled: true,
      path: '/home/mara/.local/bin/claude-agent-acp',
      version: '0.49.0',
      command: 'claude-agent-acp',
    },
    {
      id: 'codex',
      name: 'Codex',
      isInstalled: false,
      path: '/home/mara/.local/bin/codex',
      version: '0.98.0',
      missing: 'Install its adapter: npm install --global @agentclientprotocol/codex-acp',
    },
    {
      id: 'gemini',
      name: 'Gemini CLI',
      isInstalled: true,
      path: '/home/mara/.local/bin/gemini',
      version: '0.61.0',
      command: 'gemini --acp',
    },
    {
      id: 'opencode',
      name: 'opencode',
      isInstalled: false,
      missing: 'opencode is not on your PATH.',
    },
    { id: 'goose', name: 'Goose', isInstalled: false, missing: 'goose is not on your PATH.' },
  ];
}

export function seedServers(nowMs: number): ExtView[] {
  const none = { kind: 'command' as const, reason: '', tools: [], env: [] };
  return [
    {
      ...none,
      name: 'calendar',
      about: 'calendar-server',
      state: 'running',
      sinceMs: nowMs - 25 * MINUTE,
      pid: 4711,
      tools: ['calendar.list_events'],
      env: [{ name: 'CALENDAR_TOKEN', isSet: true }],
    },
    {
      ...none,
      name: 'forge',
      about: 'forge-server',
      state: 'skipped',
      reason: 'FORGE_TOKEN is not set.',
      sinceMs: nowMs - 25 * MINUTE,
      env: [{ name: 'FORGE_TOKEN', isSet: false }],
    },
    {
      ...none,
      name: 'notes',
      about: 'notes-server',
      state: 'restarting',
      reason: 'The program ended with code 1.',
      sinceMs: nowMs - 3_000,
      nextAtMs: nowMs + 40_000,
    },
    {
      ...none,
      name: 'search',
      kind: 'url',
      about: 'https://search.example/mcp',
      state: 'failed',
      reason: 'The server did not answer. It was restarted 5 times and ended each time.',
      sinceMs: nowMs - 4 * MINUTE,
    },
  ];
}

type Refuse = (code: string, message: string, hint?: string) => Answer<never>;

/** `agents.detect`, `ext.list` and `ext.restart` over the seed. */
export function fakeExtensionVerbs(
  seed: { readonly nowMs: number; detected: DetectedAgent[]; servers: ExtView[] },
  refuse: Refuse,
): {
  readonly 'agents.detect': () => VerbOutput<'agents.detect'>;
  readonly 'agents.installAdapter': (
    input: VerbInput<'agents.installAdapter'>,
  ) => VerbOutput<'agents.installAdapter'>;
  readonly 'hooks.show': () => VerbOutput<'hooks.show'>;
  readonly 'hooks.install': () => VerbOutput<'hooks.install'>;
  readonly 'hooks.remove': () => VerbOutput<'hooks.remove'>;
  readonly 'ext.list': () => VerbOutput<'ext.list'>;
  readonly 'ext.restart': (
    input: VerbInput<'ext.restart'>,
  ) => VerbOutput<'ext.restart'> | Answer<never>;
} {
  let isInstalled = false;
  const hooks = (): VerbOutput<'hooks.show'> => ({
    path: '/home/mara/.claude/settings.json',
    isInstalled,
    diff: isInstalled ? [] : ['-   "hooks": {}', '+   "hooks": {', '+     "Stop": []', '+   }'],
    removal: isInstalled ? ['-     "Stop": []'] : [],
    requestHash: (isInstalled ? 'b' : 'a').repeat(64),
  });
  return {
    'hooks.show': hooks,
    'hooks.install': () => {
      isInstalled = true;
      return { hooks: hooks(), check: { isAnswered: true, tookMs: 320 } };
    },
    'hooks.remove': () => {
      isInstalled = false;
      return hooks();
    },
    'agents.installAdapter': ({ id }) => {
      seed.detected = seed.detected.map(({ missing, ...one }) =>
        one.id === id
          ? { ...one, isInstalled: true, command: `${id}-acp` }
          : missing === undefined
            ? one
            : { ...one, missing },
      );
      return { ok: true, message: 'added 1 package', tookMs: 4200 };
    },
    'agents.detect': () => ({ agents: seed.detected }),
    'ext.list': () => ({ servers: seed.servers }),
    'ext.restart': ({ name }) => {
      const server = seed.servers.find((one) => one.name === name);
      if (server === undefined)
        return refuse('EXT_UNKNOWN', `There is no MCP server "${name}".`, 'Nothing was changed.');
      // What a server needs is looked up anew; here it is still not there.
      if (server.env.some(({ isSet }) => !isSet)) return server;
      const { nextAtMs: _nextAtMs, ...rest } = server;
      const running = {
        ...rest,
        state: 'running' as const,
        reason: '',
        sinceMs: seed.nowMs,
        pid: 4712,
      };
      seed.servers = seed.servers.map((one) => (one === server ? running : one));
      return running;
    },
  };
}
