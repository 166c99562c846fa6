import { basename } from 'node:path';
import type { ExternalAgentId } from '../../ports/external-agent';

/** Program and package names of each agent: all that a start needs to know. */
const WORDS: Readonly<Record<Exclude<ExternalAgentId, 'other'>, readonly string[]>> = {
  claude: ['claude', 'claude-agent-acp', 'claude-code-acp'],
  codex: ['codex', 'codex-acp'],
  gemini: ['gemini', 'gemini-cli'],
  opencode: ['opencode', 'opencode-ai'],
  goose: ['goose'],
  copilot: ['copilot'],
  qwen: ['qwen', 'qwen-code'],
};
const AGENTS = Object.keys(WORDS) as (keyof typeof WORDS)[];

/** The agent that a command starts, by its words, even through `npx` or `node`. Pure. */
export function identifyAgent(command: string, args: readonly string[]): ExternalAgentId {
  const words = [command, ...args].map((word) =>
    basename(word)
      .toLowerCase()
      .replace(/\.(js|mjs|cjs|exe|cmd)$/, '')
      .replace(/@[\w.^~-]+$/, ''),
  );
  return AGENTS.find((agent) => words.some((word) => WORDS[agent].includes(word))) ?? 'other';
}
