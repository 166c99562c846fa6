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
      'use letters, digits, dash and underscore with dots between; * is one token, > the rest',
    ),
);

/** The broker, and the queue in front of it. */
export const DELIVERY_SETTINGS = {
  'limits.max_pending': row(
    () => z.number().int().min(1).max(1_000_000),
    10_000,
    'hot',
    'Events that may wait for the broker; at that number the oldest goes to the dead letters',
  ),
  'limits.max_payload': row(
    () => z.number().int().min(1).max(MAX_EVENT_BYTES),
    MAX_EVENT_BYTES,
    'hot',
    'Largest event that is taken, in bytes',
  ),
  'nats.url': row(
    brokerUrl,
    '',
    'restart',
    'NATS servers that events go to, separated by commas: tls://, or nats:// on this computer; empty: none',
  ),
  'nats.stream': row(
    () => z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'use letters, digits, dash and underscore'),
    'HOLDFAST',
    'restart',
    'JetStream stream that keeps the events; made where it is missing',
  ),
  'nats.replicas': row(
    () => z.number().int().min(1).max(5),
    1,
    'restart',
    'Copies of the stream that a cluster keeps; a stream with fewer gets more',
  ),
  'nats.subjects': row(
    () => z.array(subject()).min(1).max(100),
    ['holdfast.>'],
    'restart',
    'Topics that the stream takes, where Holdfast makes it',
  ),
  'nats.credentials_env': row(
    () => z.string().regex(/^([A-Za-z_][A-Za-z0-9_]{0,127})?$/, 'name an environment variable'),
    '',
    'restart',
    'Environment variable that holds token, user:password or .creds text for NATS',
  ),
  'nats.credentials_file': row(
    () => z.string().max(4096),
    '',
    'restart',
    'File (mode 0600) that holds the same',
  ),
  'events.include_text': row(
    () => z.boolean(),
    false,
    'hot',
    'Put prompts, answers and reasons into the events that Holdfast publishes about turns',
  ),
};
