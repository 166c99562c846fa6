import { z } from 'zod';
import { once } from '../../once';
import { variable } from '../base';
import {
  agent,
  COMMON,
  common,
  DECIDING,
  file,
  signedDecide,
  type ChannelKind,
} from '../channel-parts';

const address = () =>
  z
    .string()
    .max(200)
    .regex(/^[^\s@<>",;:\\()[\]]+@[A-Za-z0-9.-]+$/, 'a mail address looks like "ann@example.com"');

/** The same computer: the only place that mail may go to without encryption. */
const isLoopback = (host: string): boolean => /^(?:127\.\d+\.\d+\.\d+|localhost|::1)$/.test(host);

const server = () => z.string().regex(/^[A-Za-z0-9.:-]{1,253}$/, 'the name of a server');
const portNumber = () => z.number().int().min(1).max(65_535);

/** The same address, however it is written. */
export const sameAddress = (one: string, other: string): boolean =>
  one.toLowerCase() === other.toLowerCase();
const areIn = (some: readonly string[] | undefined, all: readonly string[]): boolean =>
  (some ?? []).every((one) => all.some((other) => sameAddress(one, other)));

/** Mail: sent by SMTP, and read by IMAP where a mailbox is named. */
export const mail = once(() =>
  z
    .strictObject({
      kind: z.literal('mail'),
      ...common(),
      /** Host name of the mail server. */
      host: server(),
      /** Default: 465. */
      port: portNumber().optional(),
      /** Default: `tls`. Use `starttls` for port 587, `none` only for a server on this computer. */
      security: z.enum(['tls', 'starttls', 'none']).optional(),
      /** Account name. If omitted, no password is sent. */
      user: z.string().min(1).max(200).optional(),
      /** Environment variable with the password. Default: the stored one. */
      password_env: variable().optional(),
      /** File (mode 0600) with the password. */
      password_file: file().optional(),
      /** Address that messages come from. */
      from: address(),
      /** Addresses that may receive messages; no other may. */
      to: z.array(address()).min(1).max(50),
      /** IMAP server whose mailbox is read for answers and messages. If omitted, no mailbox is read. */
      imap_host: server().optional(),
      /** Default: 993. */
      imap_port: portNumber().optional(),
      /** Default: `tls`. Use `none` only for a server on this computer. */
      imap_security: z.enum(['tls', 'none']).optional(),
      /** Folder that is read. Default: `INBOX`. */
      imap_folder: z.string().min(1).max(200).optional(),
      /** Addresses from `to` whose mail starts work. */
      writers: z.array(address()).max(50).optional(),
      /**
       * Name of the mail server in its header `Authentication-Results`. A mail starts work only if that
       * header confirms its sender.
       */
      auth_server: server().optional(),
      agent: agent(),
      /** True: a question has a link to its page on this computer. */
      page: z.boolean().optional(),
      /** Each person gets their own links, which open that page or send a signed answer as mail. */
      decide: signedDecide('mail').optional(),
    })
    .refine((one) => one.imap_security !== 'none' || isLoopback(one.imap_host ?? ''), {
      error: 'imap_security "none" is only for a server on this computer',
    })
    .refine((one) => one.imap_host === undefined || one.user !== undefined, {
      error: 'set the user whose mailbox is read',
    })
    .refine(
      (one) =>
        one.imap_host !== undefined ||
        (one.writers === undefined && (one.decide === undefined || one.page === true)),
      { error: 'set an imap_host, where answers and messages are read; or "page" for answers' },
    )
    .refine((one) => areIn(one.writers, one.to) && areIn(one.decide?.people, one.to), {
      error: 'list in "to" everyone who decides or starts work',
    })
    .refine((one) => one.writers === undefined || one.auth_server !== undefined, {
      error: 'set auth_server: the sender of a mail can be forged',
    })
    .refine((one) => one.security !== 'none' || isLoopback(one.host), {
      error: 'security "none" is only for a server on this computer',
    })
    .refine((one) => one.password_env === undefined || one.password_file === undefined, {
      error: 'set the password with password_env or password_file, not both',
    }),
);

export const MAIL: ChannelKind<z.infer<ReturnType<typeof mail>>> = {
  listens: ({ imap_host: mailbox, decide, writers }) =>
    mailbox !== undefined && (decide !== undefined || writers !== undefined) ? 'asks' : undefined,
  speaks: () => true,
  showsRepeats: true,
  hasButtons: true,
  takesAnswers: ({ decide, page }) => page === true && decide !== undefined,
  hasPage: ({ page }) => page === true,
  keyPlace: ({ user, password_env: env, password_file }) =>
    user === undefined ? undefined : { env, file: password_file },
  lightCheck: () => undefined,
  options: {
    ...COMMON,
    ...DECIDING,
    host: 'host',
    port: 'port',
    security: 'security',
    user: 'user',
    from: 'from',
    to: 'to',
    imapHost: 'imap_host',
    imapPort: 'imap_port',
    imapSecurity: 'imap_security',
    imapFolder: 'imap_folder',
    writers: 'writers',
    authServer: 'auth_server',
    page: 'page',
    agent: 'agent',
    secretEnv: 'password_env',
    secretFile: 'password_file',
  },
};
