import path from 'node:path';

/** The agent of acp-agent.mjs as one file, which starts in half the time. */
export const ACP_AGENT = path.resolve('dist/test-agent/acp-agent.mjs');
