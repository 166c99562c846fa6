/** Agents, their tools and the servers that bring them. */
import { z } from 'zod';
import { exactObject } from '../exact-object';
import { agentSetup, agentView, detectedAgent, extView, toolView } from '../types';
import { watchHookCheck, watchHooksView } from '../types/agents';
import { agentSettings } from '../settings/agents';
import {
  COMMAND,
  CONFIRMED,
  QUERY,
  hash,
  turnId,
  nothing,
  MAX_PROMPT_CHARS,
  type VerbSpec,
} from './base';

export const AGENT_VERBS = {
  'agents.list': {
    ...QUERY,
    input: () => nothing,
    output: exactObject(() => ({ agents: z.array(agentView) })),
    about: 'List agents and their recovery guarantee',
  },
  'agents.show': {
    ...QUERY,
    input: exactObject(() => ({ name: z.string().min(1).max(64) })),
    output: () => agentSetup,
    about:
      "Show where an agent's program is, and which environment variables are passed and not passed",
  },
  'agents.add': {
    ...COMMAND,
    input: exactObject(() => ({
      name: z.string().min(1).max(64),
      agent: agentSettings(),
      /** Without it, a name in use is rejected. */
      replace: z.boolean().optional(),
    })),
    output: () => agentView,
    about: 'Add an agent; an existing one is left unchanged unless replacing it is requested',
  },
  'agents.edit': {
    ...COMMAND,
    input: exactObject(() => ({ name: z.string().min(1).max(64), agent: agentSettings() })),
    output: () => agentView,
    about: 'Change an existing agent; its next turn uses the change',
  },
  'agents.remove': {
    ...COMMAND,
    input: exactObject(() => ({ name: z.string().min(1).max(64) })),
    output: exactObject(() => ({
      name: z.string().max(64),
      /** References to the agent that no longer have one after the change. */
      defaultAgent: z.string().max(64),
    })),
    about: 'Remove an agent that has no unfinished work; its sessions stay readable',
  },
  'agents.hook': {
    ...COMMAND,
    surface: 'control',
    input: exactObject(() => ({
      turnId,
      attempt: z.number().int().positive(),
      event: z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('session'), ref: z.string().min(1).max(200) }),
        z.strictObject({
          kind: z.literal('call'),
          callId: z.string().min(1).max(200),
          tool: z.string().min(1).max(200),
          /** JSON of the input. */
          input: z.string().max(MAX_PROMPT_CHARS),
        }),
      ]),
    })),
    output: exactObject(() => ({
      decision: z.enum(['allow', 'deny', 'none']),
      reason: z.string().max(10_000),
    })),
    about: "Report of a running agent's hook: whether this tool call is allowed",
  },
  'agents.detect': {
    ...QUERY,
    input: () => nothing,
    output: exactObject(() => ({ agents: z.array(detectedAgent) })),
    about: 'Known external agents on this computer',
  },
  'agents.test': {
    ...COMMAND,
    input: exactObject(() => ({ name: z.string().min(1).max(64) })),
    output: exactObject(() => ({
      ok: z.boolean(),
      message: z.string().max(1000),
      tookMs: z.number(),
    })),
    about: "Send one small request to an agent's provider",
  },
  'hooks.show': {
    ...QUERY,
    surface: 'window',
    input: () => nothing,
    output: () => watchHooksView,
    about: 'Status of the hooks that monitor Claude Code terminals, and the change that adds them',
  },
  'hooks.install': {
    ...CONFIRMED,
    surface: 'window',
    input: exactObject(() => ({ requestHash: hash })),
    output: exactObject(() => ({ hooks: watchHooksView, check: watchHookCheck })),
    about: 'Add the hooks that were shown to the settings of Claude Code and test one of them',
  },
  'hooks.remove': {
    ...CONFIRMED,
    surface: 'window',
    input: exactObject(() => ({ requestHash: hash })),
    output: () => watchHooksView,
    about: 'Remove the hooks from the settings of Claude Code; everything else stays',
  },
  'agents.installAdapter': {
    ...COMMAND,
    surface: 'window',
    input: exactObject(() => ({
      id: z.string().min(1).max(20),
      /** Exactly the command that was shown. */
      command: z.string().min(1).max(500),
    })),
    output: exactObject(() => ({
      ok: z.boolean(),
      message: z.string().max(4000),
      tookMs: z.number(),
    })),
    about: 'Install the adapter of a known agent with the command that was shown',
  },
  'agents.folder': {
    ...QUERY,
    surface: 'window',
    input: exactObject(() => ({ folder: z.string().min(1).max(4096) })),
    output: exactObject(() => ({
      /** Absolute, with `~` read as the home folder; absent if it was relative. */
      path: z.string().max(5000).optional(),
      state: z.enum(['found', 'missing', 'relative']),
    })),
    about: 'Resolve the path of a typed folder and check whether it exists',
  },
  'tools.list': {
    ...QUERY,
    input: () => nothing,
    output: exactObject(() => ({ tools: z.array(toolView) })),
    about: 'List tools with their effect',
  },
  'ext.list': {
    ...QUERY,
    input: () => nothing,
    output: exactObject(() => ({ servers: z.array(extView).max(1000) })),
    about: 'List MCP servers with their state, and the reason if one is not running',
  },
  'ext.restart': {
    ...COMMAND,
    input: exactObject(() => ({ name: z.string().min(1).max(64) })),
    output: () => extView,
    about: 'Restart an MCP server and check its requirements again',
  },
} as const satisfies Record<string, VerbSpec>;
