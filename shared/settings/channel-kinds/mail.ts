import { z } from 'zod';
import { once } from '../../once';
import { variable } from '../base';
import { COMMON, common, file, type ChannelKind } from '../channel-parts';

const address = () =>
  z
    .string()
    .max(200)
    .regex(/^[^\s@<>",;:\\()[\]]+@[A-Za-z0-9.-]+$/, 'a mail address looks like "ann@example.com"');

/** The same computer: the only place that mail may go to without encryption. */
const isLoopback = (host: string): boolean => /^(?:127\.\d+\.\d+\.\d+|localhost|::1)$/.test(host);

/** Mail by SMTP. */
export const mail = once(() =>
  z
    .strictObject({
      kind: z.literal('mail'),
      ...common(),
      /** Name of the mail server. */
      host: z.string().regex(/^[A-Za-z0-9.:-]{1,253}$/, 'the name of a server'),
      /** 465 when absent. */
      port: z.number().int().min(1).max(65_535).optional(),
      /** `tls` when absent. `starttls` for port 587; `none` for a server on this computer. */
      security: z.enum(['tls', 'starttls', 'none']).optional(),
      /** Name of the account; absent: no password is sent. */
      user: z.string().min(1).max(200).optional(),
      /** Environment variable with the password; default: the stored one. */
      password_env: variable().optional(),
      /** File (mode 0600) with the password. */
      password_file: file().optional(),
      /** Address that messages come from. */
      from: address(),
      /** Addresses that may receive messages; no others. */
      to: z.array(address()).min(1).max(50),
    })
    .refine((one) => one.security !== 'none' || isLoopback(one.host), {
      error: 'security "none" is only for a server on this computer',
    })
    .refine((one) => one.password_env === undefined || one.password_file === undefined, {
      error: 'set the password with password_env or password_file, not both',
    }),
);

export const MAIL: ChannelKind<z.infer<ReturnType<typeof mail>>> = {
  listens: () => undefined,
  speaks: () => true,
  showsRepeats: true,
  hasButtons: true,
  takesAnswers: () => false,
  keyPlace: ({ user, password_env: env, password_file }) =>
    user === undefined ? undefined : { env, file: password_file },
  lightCheck: () => undefined,
  options: {
    ...COMMON,
    host: 'host',
    port: 'port',
    security: 'security',
    user: 'user',
    from: 'from',
    to: 'to',
    secretEnv: 'password_env',
    secretFile: 'password_file',
  },
};
