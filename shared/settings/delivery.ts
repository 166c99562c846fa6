/** Settings of the events to a broker. */
import { z } from 'zod';
import { once } from '../once';
import { brokerUrlsProblem } from '../safe-url';
import { MAX_EVENT_BYTES } from '../states';
import { row } from './base';

/** Addresses of NATS servers with commas between, or nothing. */
const brokerUrl = once(() =>
  z
    .string()
    .max(2_000)
    .superRefine((value, context) => {
      const problem = value === '' ? undefined : brokerUrlsProblem(value);
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
    }),
);

/** A NATS subject; `*` matches one token, `>` all that follow. */
const subject = once(() =>
  z
    .string()
    .max(200)
    .regex(
      /^(?:[A-Za-z0-9_-]+|\*)(?:\.(?:[A-Za-z0-9_-]+|\*))*(?:\.>)?$|^>$/,
      'use letters, digits, dashes and underscores, separated by dots; * matches one token, > the rest',
    ),
);

/** The broker, and the queue in front of it. */
export const DELIVERY_SETTINGS = {
  'limits.max_pending': row(
    () => z.number().int().min(1).max(1_000_000),
    10_000,
    'hot',
    'Maximum events queued for the event broker; when full, the oldest becomes a dead letter',
  ),
  'limits.max_payload': row(
    () => z.number().int().min(1).max(MAX_EVENT_BYTES),
    MAX_EVENT_BYTES,
    'hot',
    'Maximum event size in bytes',
  ),
  'nats.url': row(
    brokerUrl,
    '',
    'restart',
    'NATS servers to publish events to, separated by commas: tls://, or nats:// on this computer. Leave empty for none',
  ),
  'nats.stream': row(
    () => z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'use letters, digits, dashes and underscores'),
    'HOLDFAST',
    'restart',
    'JetStream stream that stores the events; created if missing',
  ),
  'nats.replicas': row(
    () => z.number().int().min(1).max(5),
    1,
    'restart',
    'Replicas of the stream in a cluster; raised if the stream has fewer',
  ),
  'nats.subjects': row(
    () => z.array(subject()).min(1).max(100),
    ['holdfast.>'],
    'restart',
    'Topics of the stream when Holdfast creates it',
  ),
  'nats.credentials_env': row(
    () =>
      z
        .string()
        .regex(/^([A-Za-z_][A-Za-z0-9_]{0,127})?$/, 'use the name of an environment variable'),
    '',
    'restart',
    'Environment variable with the token, user:password or .creds text for NATS',
  ),
  'nats.credentials_file': row(
    () => z.string().max(4096),
    '',
    'restart',
    'File (mode 0600) with the NATS token, user:password or .creds text',
  ),
  'events.include_text': row(
    () => z.boolean(),
    false,
    'hot',
    'Include prompts, answers and reasons in the events that Holdfast publishes about turns',
  ),
};
