/** Reference pages of docs/, made from the code they describe. */
import { BUILT_IN, PRICES_AS_OF } from '../../../shared/prices/built-in';
import { quoted } from '../../../shared/reason';
import { z } from 'zod';
import { offeredTools } from '../../../electron/cli/mcp-tools';
import { EXIT, exitCodeOf } from '../../../electron/cli/exit-codes';
import { EVENTS, VERBS, type VerbSpec } from '../../../shared/contract';
import { ERROR_CODES } from '../../../shared/error-codes';
import { ERROR_MESSAGES } from '../../../shared/error-messages';
import { EN } from '../../../shared/messages/en';
import {
  BREAKER_STATES,
  CLOSED_TURN_STATES,
  PROVIDER_STATES,
  STEP_STATES,
  TURN_STATES,
  type BreakerState,
  type ProviderState,
  type StepState,
  type TurnState,
} from '../../../shared/states';
import { ownEvent } from '../../../electron/engine/outbox/internal-events';
import type { JournalEntry } from '../../../electron/ports/journal/entries';
import { cell, table } from './made-tables';
import { read } from './project-docs';

interface Shape {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
  readonly items?: Shape;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Shape | boolean;
  readonly description?: string;
}

const shapeOf = (schema: z.ZodType): Shape =>
  z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' }) as Shape;

/** A type in the words of JSON. */
function typeOf(shape: Shape): string {
  if (shape.const !== undefined) return `\`${JSON.stringify(shape.const)}\``;
  if (shape.enum !== undefined) return shape.enum.map((one) => `\`${String(one)}\``).join(', ');
  const choices = shape.anyOf ?? shape.oneOf;
  if (choices !== undefined) return [...new Set(choices.map(typeOf))].join(' or ');
  if (shape.type === 'array') return `list of ${typeOf(shape.items ?? {})}`;
  if (shape.type === 'object' && shape.properties === undefined) {
    const values = shape.additionalProperties;
    return typeof values === 'object' ? `by name: ${typeOf(values)}` : 'object';
  }
  return typeof shape.type === 'string' ? shape.type : 'any';
}

const fieldsOf = ({ properties = {}, required = [] }: Shape): string =>
  Object.keys(properties)
    .map((name) => `\`${name}${required.includes(name) ? '' : '?'}\``)
    .join(', ');

const TURN_MEANINGS: Readonly<Record<TurnState, string>> = {
  queued: 'saved; it starts when a slot is free',
  running: 'the agent works on it',
  requires_action: 'a tool call needs your approval, or a result that you provide',
  waiting: 'the provider is down or a usage limit is reached; it resumes automatically',
  held: 'it was interrupted and does not resume until you decide',
  parked: 'it is not tried again until you decide; the reason is shown',
  completed: 'it ended with an answer',
  failed: 'it ended with an error',
  cancelled: 'you ended it permanently',
  discarded: 'you ended it after an interruption; nothing of it runs again',
};

const STEP_MEANINGS: Readonly<Record<StepState, string>> = {
  started: 'its intent is on disk; it runs',
  completed: 'its result is on disk',
  failed: 'it ended with an error, and nothing happened',
  ambiguous: 'outcome unknown: it had started, and its end was never recorded',
  skipped: 'you skipped it, with an empty result',
  confirmed: 'you marked it as done',
};

const PROVIDER_MEANINGS: Readonly<Record<ProviderState, string>> = {
  answering: 'up',
  failing: 'degraded: some requests fail',
  down: 'an outage: turns wait',
  trying: 'a health check is in progress',
  recovering: 'back: queued turns resume in order',
  quota: 'a usage limit is reached; the provider named the time of its reset',
  key: 'it rejected the API key',
};

const BREAKER_MEANINGS: Readonly<Record<BreakerState, string>> = {
  closed: 'requests go through',
  open: 'nothing is sent',
  half_open: 'one probe decides whether it closes',
};

const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'ok',
  failed: 'failed, or not found, or ended immediately by a second signal',
  usage: 'the command line or a value is wrong',
  notRunning: 'no Holdfast answered: it is not running, or its computer is unreachable',
  refused: 'rejected: nothing was changed, and the message has the reason',
  needsDecision: 'needs a decision: a turn needs your review, or a question was not confirmed',
  interrupted: 'interrupted, for example with Ctrl+C: what the command waited for continues',
};

const meanings = (states: readonly string[], of: Readonly<Record<string, string>>): string =>
  table([['state', 'meaning'], ...states.map((state) => [`\`${state}\``, of[state] ?? ''])]);

/** `requires_action` is `state.requiresAction` in the texts of the windows. */
const labelOf = (state: TurnState): string =>
  (EN as Readonly<Record<string, string>>)[
    `state.${state.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())}`
  ] ?? '';

export const turnStates = (): string =>
  table([
    ['state', 'shown as', 'meaning', 'ended'],
    ...TURN_STATES.map((state) => [
      `\`${state}\``,
      labelOf(state),
      TURN_MEANINGS[state],
      (CLOSED_TURN_STATES as readonly string[]).includes(state) ? 'yes' : 'no',
    ]),
  ]);
export const stepStates = (): string => meanings(STEP_STATES, STEP_MEANINGS);
export const providerStates = (): string => meanings(PROVIDER_STATES, PROVIDER_MEANINGS);
export const breakerStates = (): string => meanings(BREAKER_STATES, BREAKER_MEANINGS);
export const exitCodes = (): string =>
  table([
    ['code', 'meaning'],
    ...Object.entries(EXIT).map(([name, code]) => [
      String(code),
      EXIT_MEANINGS[name as keyof typeof EXIT],
    ]),
  ]);

export const errorCodes = (): string =>
  table([
    ['code', 'exit', 'message', 'next step'],
    ...ERROR_CODES.map((code) => [
      `\`${code}\``,
      String(exitCodeOf(code)),
      cell(ERROR_MESSAGES[code].sentence),
      cell(ERROR_MESSAGES[code].next),
    ]),
  ]);

export const builtInPrices = (): string => {
  const usd = (price: number | undefined): string => (price === undefined ? '' : String(price));
  const rows = Object.entries(BUILT_IN).flatMap(([host, models]) =>
    Object.entries(models).map(([model, price]) => [
      `\`${model}\``,
      `\`${host}\``,
      usd(price.input),
      usd(price.cacheRead),
      usd(price.cacheWrite),
      usd(price.output),
      price.mostInputTokens?.toLocaleString('en-US') ?? '',
    ]),
  );
  return [
    `US dollars per million tokens, as of ${PRICES_AS_OF}.`,
    '',
    table([
      [
        'model',
        'address',
        'input',
        'from the cache',
        'into the cache',
        'output',
        'up to input tokens',
      ],
      ...rows,
    ]),
  ].join('\n');
};

/** Entries that stand for every topic of Holdfast's own. */
const TOLD: readonly (readonly [about: string, entry: unknown])[] = [
  [
    'Holdfast started',
    { kind: 'marker.started', startId: 's', reason: 'user', version: '1', downSinceMs: 1 },
  ],
  [
    'a prompt was accepted',
    { kind: 'message.accepted', turnId: 1, sessionId: 1, channel: 'cli', promptStart: 'p' },
  ],
  ...CLOSED_TURN_STATES.map(
    (state) =>
      [
        `a turn ended: ${labelOf(state)}`,
        {
          kind: 'turn.closed',
          turnId: 1,
          sessionId: 1,
          state,
          reason: quoted('r'),
          answer: { kind: 'inline', text: 'a' },
        },
      ] as const,
  ),
  [
    'a turn needs your review',
    { kind: 'turn.state', turnId: 1, state: 'held', reason: quoted('r') },
  ],
  ['a turn was parked', { kind: 'turn.state', turnId: 1, state: 'parked', reason: quoted('r') }],
  ['a provider was marked down', { kind: 'outage.declared', provider: 'p', outageId: 1 }],
  ['a provider is back', { kind: 'outage.resolved', provider: 'p', outageId: 1 }],
];

export const ownTopics = (): string =>
  table([
    ['topic', 'when', 'fields', 'with `events.include_text`'],
    ...TOLD.map(([about, entry]) => {
      const facts = { seq: 1, atMs: 1, databaseId: 'd' };
      const payload = (withText: boolean) => {
        const event = ownEvent(entry as JournalEntry, { ...facts, withText });
        if (event === undefined) throw new Error(`no event: ${about}`);
        return { topic: event.topic, fields: Object.keys(JSON.parse(event.payload) as object) };
      };
      const { topic, fields } = payload(false);
      const texts = payload(true).fields.filter((name) => !fields.includes(name));
      const shown = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');
      return [`\`${topic}\``, about, shown(fields), shown(texts)];
    }),
  ]);

export const liveEvents = (): string =>
  table([
    ['event', 'fields'],
    ...Object.entries(EVENTS).map(([name, schema]) => [`\`${name}\``, fieldsOf(shapeOf(schema))]),
  ]);

export const mcpTools = (): string =>
  offeredTools(true)
    .map(({ name, description, input, hints, access }) => {
      const shape = shapeOf(input);
      const facts = [
        hints.readOnlyHint ? 'read-only' : 'writes',
        access === 'read' ? 'works while Holdfast is stopped' : 'needs a running Holdfast',
      ];
      const rows = Object.entries(shape.properties ?? {}).map(([field, one]) => [
        `\`${field}\``,
        cell(typeOf(one)),
        shape.required?.includes(field) === true ? 'yes' : 'no',
        cell(one.description ?? ''),
      ]);
      const input_ =
        rows.length === 0
          ? 'No input.'
          : table([['input', 'type', 'required', 'meaning'], ...rows]);
      return `## ${name}\n\n${cell(description)}\n\n${facts.join(', ')}.\n\n${input_}`;
    })
    .join('\n\n');

export const jsonOutputs = (): string =>
  table([
    ['verb', 'what it does', 'fields of the value'],
    ...Object.entries(VERBS as Readonly<Record<string, VerbSpec>>)
      .filter(([, { surface }]) => surface !== 'window')
      .map(([verb, { about, output }]) => [
        `\`${verb}\``,
        cell(about),
        fieldsOf(z.toJSONSchema(output(), { unrepresentable: 'any' }) as Shape),
      ]),
  ]);

/** Fields of a strict object in the source of the settings, with the comment above each. */
function commented(source: string, from: string, to: string): Map<string, string> {
  const start = source.indexOf(from);
  if (start < 0) throw new Error(`no "${from}"`);
  const part = source.slice(start, source.indexOf(to, start));
  return new Map(
    [...part.matchAll(/\/\*\*((?:(?!\*\/)[^])*)\*\/\s*(\w+):/g)].map(
      ([, words = '', field = '']) => [
        field,
        words
          .replace(/\s*\n\s*\* ?/g, ' ')
          .replace(/\s*\((?:[A-Z]{1,2}\d?-\+?\d+)\)|\s*\b[A-Z]{1,2}\d?-\+?\d+\b\.?/g, '')
          .trim(),
      ],
    ),
  );
}

const WORDS: Readonly<Record<string, string>> = {
  executor: 'Type of the agent.',
  kind: 'Kind.',
  title: 'Display name in windows.',
  provider: 'Name of the provider.',
  model: 'Model name as the provider lists it.',
  workspace: 'Full path of the folder that it works in.',
  instructions: 'Added to every request.',
  command: 'Program to run, never a shell line.',
  args: 'Arguments of the program.',
  env: 'Environment variables passed to it, in addition to the basic ones.',
  agent: 'Agent for messages of this channel. Default: the default agent.',
  wait: 'False: its turns need your review instead of waiting for their provider.',
  url: 'Address.',
  base_url: 'https, or http on this computer. Default: the address of the provider.',
  inbound: 'True: the channel receives messages.',
  price_output_per_million_usd: 'The same for output tokens.',
  name: 'Name.',
  description: 'What the agent reads about it.',
  cwd: 'Full path of its working directory. Default: your home folder.',
  token_file: 'File (mode 0600) with the bot token.',
  secret_file: 'File (mode 0600) with the signing secret.',
};

/** One entry of a setting with entries by name. */
function entryTable(schema: Shape, comments: ReadonlyMap<string, string>): string {
  return table([
    ['field', 'type', 'required', 'meaning'],
    ...Object.entries(schema.properties ?? {}).map(([field, shape]) => [
      `\`${field}\``,
      cell(typeOf(shape)),
      schema.required?.includes(field) === true ? 'yes' : 'no',
      cell(comments.get(field) ?? WORDS[field] ?? ''),
    ]),
  ]);
}

/** The kinds of entries, one after the other. */
export function entries(
  title: string,
  schema: z.ZodType,
  files: string | readonly string[],
  marks: readonly (readonly [name: string, from: string, to: string])[],
  /** Parts of the sources that belong to every kind. */
  always: readonly (readonly [from: string, to: string])[] = [],
): string {
  const shape = shapeOf(schema);
  const kinds = shape.oneOf ?? shape.anyOf ?? [shape];
  const source = [files].flat().map(read).join('\n');
  const shared = always.flatMap(([from, to]) => [...commented(source, from, to)]);
  return [
    `## ${title}`,
    ...kinds.map((kind, index) => {
      const [name = '', from = '', to = ''] = marks[index] ?? [];
      const heading = name === '' ? '' : `### ${name}\n\n`;
      return heading + entryTable(kind, new Map([...shared, ...commented(source, from, to)]));
    }),
  ].join('\n\n');
}
