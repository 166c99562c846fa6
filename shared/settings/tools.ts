/** Settings of the built-in tools. */
import { z } from 'zod';
import { duration, row } from './base';

/** The shell and the browser of the agents. */
export const TOOL_SETTINGS = {
  'shell.guarded_tools': row(
    () => z.array(z.string().min(1).max(200)).max(200),
    [],
    'hot',
    'MCP tools that run shell commands, as "server.tool": the sleep guard checks them too',
  ),
  'shell.sleep_guard': row(
    () => z.boolean(),
    true,
    'hot',
    'Sleep guard: block shell commands of agents that only wait, such as sleep, and point to the timer that does the same',
  ),
  'shell.timeout': row(duration, '2m', 'hot', 'Shell command timeout'),
  'shell.max_output_kb': row(
    () => z.number().int().min(1).max(10_240),
    256,
    'hot',
    'Maximum stored output of one shell command',
  ),
  'browser.command': row(
    () => z.string().max(4096),
    '',
    'hot',
    'Browser for agents: path or name of a Chromium. Leave empty for the first one found',
  ),
  'browser.headless': row(
    () => z.boolean(),
    true,
    'hot',
    "Run the agents' browser without a window",
  ),
  'browser.timeout': row(duration, '30s', 'hot', 'Browser action timeout'),
  'browser.idle': row(duration, '5m', 'hot', 'Close an idle browser after'),
  'browser.local_hosts': row(
    () =>
      z
        .array(
          z
            .string()
            .regex(
              /^[\w.[\]:-]{1,255}$/,
              'use a host name, with its port if it has one, such as localhost:3000',
            ),
        )
        .max(100),
    [],
    'hot',
    'Hosts on this computer or the private network that the browser may reach, such as localhost:3000',
  ),
};
