/** Settings of the built-in tools. */
import { z } from 'zod';
import { duration, row } from './base';

/** The shell and the browser of the agents. */
export const TOOL_SETTINGS = {
  'shell.guarded_tools': row(
    () => z.array(z.string().min(1).max(200)).max(200),
    [],
    'hot',
    'Tools of MCP servers that run shell commands, as "server.tool": they pass the same guard',
  ),
  'shell.sleep_guard': row(
    () => z.boolean(),
    true,
    'hot',
    'Refuse shell commands of agents that only wait, and name the timer that does the same',
  ),
  'shell.timeout': row(duration, '2m', 'hot', 'Longest run of one shell command'),
  'shell.max_output_kb': row(
    () => z.number().int().min(1).max(10_240),
    256,
    'hot',
    'Output kept of one shell command',
  ),
  'browser.command': row(
    () => z.string().max(4096),
    '',
    'hot',
    'Browser of the agents: a Chromium, by path or name; empty takes the first one found',
  ),
  'browser.headless': row(
    () => z.boolean(),
    true,
    'hot',
    'Agents use the browser without a window',
  ),
  'browser.timeout': row(duration, '30s', 'hot', 'Longest single action in the browser'),
  'browser.idle': row(duration, '5m', 'hot', 'A browser that nobody uses is closed after'),
  'browser.local_hosts': row(
    () =>
      z
        .array(
          z
            .string()
            .regex(
              /^[\w.[\]:-]{1,255}$/,
              'name a host, with its port where it has one, such as localhost:3000',
            ),
        )
        .max(100),
    [],
    'hot',
    'Hosts of this computer or the private network that it may reach, such as localhost:3000',
  ),
};
