export { createMcpServers } from './mcp-servers';
export type { McpServers } from './mcp-servers';
export type { McpServer } from './mcp-server';
export { serverOfOffered } from './tool-names';
