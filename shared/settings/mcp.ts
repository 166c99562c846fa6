/** The settings of MCP servers (`mcp.servers`). Rows S2-19, S2-52, S2-+05, S4-32. */
import { z } from 'zod';
import { once } from '../once';
import { alikePair, takenHost } from '../own-hosts';
import { isSecretKey } from '../redact';
import { duration, row, safeUrl, variable } from './base';

/** Explains that a name looks like that of a Holdfast tool in rules. */
const takenWords = (taken: string): string =>
  `it would be mistaken for "${taken}", a name that Holdfast uses: your rules for that would also match this server. It was not loaded, and none of its tools can run. Rename the server`;

/**
 * Name of a server: part of the names of its tools, `mail.send` for people and `mail__send` for
 * models. So no dot, and no place where `__` would be ambiguous.
 */
export const mcpServerName = once(() =>
  z
    .string()
    .min(1)
    .max(32)
    .superRefine((name, context) => {
      const taken = takenHost(name, { alsoClaude: true });
      if (taken !== undefined) context.addIssue({ code: 'custom', message: takenWords(taken) });
    })
    .regex(
      /^[a-z](?:[a-z0-9-]|_(?!_|$))*$/i,
      'start with a letter; use letters, digits, dashes and single underscores',
    ),
);

/**
 * Environment of a server: `true` passes the variable of the same name from your environment, which is how
 * it gets keys; text is a literal value and must not be a secret.
 */
const environment = once(() =>
  z
    .record(variable(), z.union([z.literal(true), z.string().max(10_000)]))
    .superRefine((values, context) => {
      for (const [name, value] of Object.entries(values)) {
        const isSecret =
          isSecretKey(name) || (value !== true && /^\w+:\/\/[^/\s:@]*:[^/\s@]+@/.test(value));
        if (value === true || value === '' || !isSecret) continue;
        context.addIssue({
          code: 'custom',
          path: [name],
          message:
            'do not put a secret in the settings: write true here, and set the variable in your environment',
        });
      }
    }),
);

/** Effect of a tool; only model providers make model calls. */
const toolPurity = once(() => z.enum(['pure', 'world', 'side_effect', 'external']));

/**
 * One server: a program that Holdfast starts and talks to over its standard input and output
 * (`command`), or one at a URL that speaks streamable HTTP (`url`).
 */
export const mcpServerSettings = once(() =>
  z
    .strictObject({
      /** A program, never a shell line. */
      command: z.string().min(1).max(4096).optional(),
      args: z.array(z.string().max(10_000)).max(200).optional(),
      env: environment().optional(),
      /** Full path of its working directory. Default: your home folder. */
      cwd: z.string().min(1).max(4096).optional(),
      url: safeUrl(2000).optional(),
      /** Headers: the name of each, and the environment variable with its value. */
      headers_env: z
        .record(
          z
            .string()
            .regex(/^[A-Za-z][A-Za-z0-9-]{0,63}$/, 'use a header name: letters, digits and dashes'),
          variable(),
        )
        .optional(),
      /** Set to false to keep the server configured but stopped. Default: true. */
      enabled: z.boolean().optional(),
      /** If one of these is missing, the server is skipped with a note; that is not an error. S2-52. */
      requires: z
        .strictObject({
          env: z.array(variable()).max(50).optional(),
          bins: z.array(z.string().min(1).max(4096)).max(50).optional(),
        })
        .optional(),
      /** Effect of single tools: overrides what the server declares. S4-32. */
      purity: z.record(z.string().min(1).max(128), toolPurity()).optional(),
      /** Maximum wait for the first response. Default: 10 s. */
      handshake_timeout: duration().optional(),
      /** Maximum wait for a tool call that reports no progress; with progress 120 times as long. Default: 30 s. */
      call_timeout: duration().optional(),
    })
    .superRefine((server, context) => {
      const refuse = (message: string): void => context.addIssue({ code: 'custom', message });
      const { command, url } = server;
      if ((command === undefined) === (url === undefined))
        refuse('set either a command (with args, env, cwd) or a url (with headers_env)');
      else if (url !== undefined && (server.args ?? server.env ?? server.cwd) !== undefined)
        refuse('use args, env and cwd with a command, not with a url');
      else if (command !== undefined && server.headers_env !== undefined)
        refuse('use headers_env with a url, not with a command');
    }),
);

export type McpServerSettings = z.infer<ReturnType<typeof mcpServerSettings>>;

/** All of them, by name. */
export const mcpServers = once(() =>
  z.record(mcpServerName(), mcpServerSettings()).superRefine((servers, context) => {
    const pair = alikePair(Object.keys(servers));
    if (pair === undefined) return;
    const [one, other] = pair;
    context.addIssue({
      code: 'custom',
      message: `"${one}" and "${other}" would be mistaken for each other, so a rule for one would also apply to the other. Nothing was changed. Rename one of them`,
    });
  }),
);

/** MCP servers: tools of other programs. */
export const MCP_SETTINGS = {
  'mcp.servers': row(mcpServers, {}, 'hot', 'MCP servers, which bring tools from other programs'),
};
