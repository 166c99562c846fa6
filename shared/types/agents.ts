/** Agents, their tools and the servers that have them. */
import { z } from 'zod';
import { atMs, hash, purity, text } from './base';

const afterCrash = z.enum([
  /** Its turn needs a person's review. */
  'held',
  'run_again',
  /** A read or a model call: the same question again. */
  'asked_again',
  'skipped',
  /** Its turn is discarded. */
  'discarded',
]);

export const toolView = z.strictObject({
  name: text(200),
  host: text(64),
  purity,
  about: text(500),
  isListed: z.boolean(),
  /** The entries of the side-effect list that match it, as written there. */
  listedAs: z.array(text(200)).max(1000),
  /** What the recovery plan does with a call that a crash interrupts. */
  afterCrash,
  /** The same for calls known to change nothing, if it differs. */
  afterCrashOfReads: afterCrash.optional(),
  /** Proposed for the side-effect list. S0-37. */
  isProposed: z.boolean(),
});
export type ToolView = z.infer<typeof toolView>;

/** One MCP server. Rows S2-19, S2-52. */
export const extView = z.strictObject({
  name: text(64),
  kind: z.enum(['command', 'url']),
  /** The program or the address; no arguments. */
  about: text(500),
  state: z.enum([
    /** Holdfast does not run, or has not come to it yet. */
    'stopped',
    'disabled',
    /** Something it needs is not there: the reason names it. Not an error. */
    'skipped',
    'starting',
    'running',
    'restarting',
    'failed',
    'stopping',
  ]),
  /** Empty if the state is explanation enough. */
  reason: text(1000),
  sinceMs: atMs,
  /** Set while it is restarting. */
  nextAtMs: atMs.optional(),
  pid: z.number().int().positive().optional(),
  /** As people list them: `server.tool`. */
  tools: z.array(text(200)).max(300),
  /** Variables that are passed to it in addition to the basic ones; never their values. */
  env: z.array(z.strictObject({ name: text(128), isSet: z.boolean() })).max(400),
});
export type ExtView = z.infer<typeof extView>;

export const agentView = z.strictObject({
  name: text(64),
  /** Its display name; absent: its name. */
  title: text(64).optional(),
  executor: z.enum(['llm', 'practice', 'acp', 'command']),
  provider: text(64),
  model: text(200),
  workspace: text(4096),
  howExact: text(500),
  /** Set where it cannot run yet: missing provider, missing key, missing folder. */
  problem: text(500).optional(),
  tools: z.array(text(200)).max(1000),
});
export type AgentView = z.infer<typeof agentView>;

/** What a conversation with an agent works in. */
export const environment = agentView.pick({
  executor: true,
  provider: true,
  model: true,
  workspace: true,
});
export type Environment = z.infer<typeof environment>;

const variableName = text(200);

/** What an agent is given on this computer. Row S2-+05. */
export const agentSetup = z.strictObject({
  agent: agentView,
  /** The program started for it; absent if Holdfast runs it itself. */
  program: z
    .strictObject({
      name: text(4096),
      /** With its arguments; the beginning of a longer one. */
      line: text(4096),
      /** Its path, according to its own PATH and folder; absent if it was not found. */
      path: text(4096).optional(),
      /** Only of a known program that can report it; no other is run for it. */
      version: text(100).optional(),
    })
    .optional(),
  /** Variables that are passed to it in addition to the basic ones; never their values. */
  env: z.array(z.strictObject({ name: variableName, isSet: z.boolean() })).max(400),
  /** Variables that look like secrets and are not passed on; names only. */
  withheld: z.array(variableName).max(1000),
});
export type AgentSetup = z.infer<typeof agentSetup>;

/** A known agent of another program, as it was found on this computer. */
export const detectedAgent = z.strictObject({
  id: text(20),
  name: text(64),
  isInstalled: z.boolean(),
  path: text(4096).optional(),
  version: text(100).optional(),
  /** For `holdfast agents add NAME --acp '<command>'`. */
  command: text(500).optional(),
  /** What has to be done first. */
  missing: text(300).optional(),
});
export type DetectedAgent = z.infer<typeof detectedAgent>;

/** The hooks that watch terminals of Claude Code, and what adding them changes. */
export const watchHooksView = z.strictObject({
  path: text(4096),
  isInstalled: z.boolean(),
  /** Lines with `+` or `-` in front; empty if adding them changes nothing. */
  diff: z.array(text(20_000)).max(2000),
  /** As `diff`, of removing them. */
  removal: z.array(text(20_000)).max(2000),
  /** Of the file as it was read and of both differences. */
  requestHash: hash,
  /** Why the file cannot be changed. */
  problem: text(1000).optional(),
  /** When a hook last reported what happens in a terminal. */
  lastReportAtMs: z.number().optional(),
});

/** How a hook ran when it was tried. */
export const watchHookCheck = z.strictObject({
  isAnswered: z.boolean(),
  tookMs: z.number(),
  problem: text(1000).optional(),
});
