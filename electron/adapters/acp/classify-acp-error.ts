import { isTooDeep } from '../../engine/kernel/json-depth';
import { describeLimit, readLimit, type UsageLimit } from '../../../shared/limits/read-limit';
import { readReset } from '../../../shared/limits/read-reset';
import { sentence } from '../../../shared/sentence';
import { inertLine } from '../tools/tool-host';
import type { ExternalAgentId, ExternalFailure } from '../../ports/external-agent';

/** A protocol error object, as untrusted text. */
interface ProtocolError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

const LOGIN = /\b(401|403|unauthori[sz]ed|authenticat|api[ _-]?key|login|log in|credential)/i;
const RATE = /\b(429|quota|rate.?limit|usage.?limit|overloaded|too many requests|insufficient)/i;
/** Of these, an overloaded server is no limit of the account. */
const LIMITED = /\b(429|quota|rate.?limit|usage.?limit|too many requests|insufficient)/i;
const SERVER = /\b(5\d\d|server error|econnre|connect|network|timed? ?out|fetch failed|socket)/i;
const UNKNOWN_SESSION =
  /(session|resource|conversation|thread).{0,60}(not found|unknown|no previous|does not exist)|no previous sessions|not found.{0,40}(session|conversation)/i;

/**
 * Classifies an error of an agent. The protocol has one code for everything (-32603), so each
 * agent's private `data` decides before the message does: codex `codex_error_info`, opencode
 * `errorName`, gemini a status in `code`. A usage limit comes first: its sentence may offer another
 * login. Pure.
 */
export function classifyAcpError(id: ExternalAgentId, error: ProtocolError): ExternalFailure {
  const data = record(error.data);
  const words = [error.message, privateWords(id, data), detailOf(data)].join(' ');
  const said = sentence(
    inertLine(detailOf(data) === '' ? error.message : `${error.message}: ${detailOf(data)}`),
  );
  const limit = limitOf(id, error, words);
  if (limit !== undefined) return { kind: 'provider', limit, ...limitWords(said) };
  if (error.code === -32_000 || LOGIN.test(words)) {
    return {
      kind: 'login',
      message: `The agent could not log in to its provider: ${said}`,
      hint: 'Its progress is saved. Log in with the agent in a terminal, or pass its API key by name with "env", then resume.',
    };
  }
  if (error.code === -32_002 || UNKNOWN_SESSION.test(words)) {
    return {
      kind: 'session_unknown',
      message: `The agent no longer knows this session: ${said}`,
      hint: 'Its progress is saved; it resumes in a new session.',
    };
  }
  if (RATE.test(words) || SERVER.test(words)) {
    return {
      kind: 'provider',
      message: `The agent's provider did not respond: ${said}`,
      hint: 'Its progress is saved. Resume this turn when the provider is back.',
    };
  }
  return {
    kind: 'refused',
    message: `The agent reported an error: ${said}`,
    hint: 'Its progress is saved. Read the error, then resume this turn or discard it.',
  };
}

/** More are not read by anyone. */
const MAX_WAYS = 6;

/**
 * A missing login with the ways that the agent itself offers: `login` takes their IDs, which are shown
 * nowhere else. Any other failure is unchanged. Pure.
 */
export function withLoginWays(failure: ExternalFailure, methods: unknown): ExternalFailure {
  if (failure.kind !== 'login' || !Array.isArray(methods)) return failure;
  const ways = methods.slice(0, MAX_WAYS).flatMap((method: unknown) => {
    const { id, name, description } = record(method);
    if (typeof id !== 'string' || id === '') return [];
    const what = [description, name].find((text) => typeof text === 'string' && text !== '');
    return [what === undefined ? inertLine(id) : `${inertLine(id)} (${inertLine(textOf(what))})`];
  });
  if (ways.length === 0) return failure;
  const message = `${failure.message} Its ways to log in: ${ways.join(', ')}.`;
  const hint =
    'Its progress is saved. Log in with the agent in a terminal, pass its API key by name with "env", or name one of its ways with "login", then resume.';
  return { ...failure, message, hint };
}

/** Message and hint of a limit, wherever it was detected. */
export const limitWords = (said: string): { readonly message: string; readonly hint: string } => ({
  message: `The agent reached its usage limit: ${said}`,
  hint: 'Its progress is saved. Resume this turn when the limit resets.',
});

/** First the agent's private data, then any agent's wording. LM-01, LM-03 */
function limitOf(id: ExternalAgentId, error: ProtocolError, words: string): UsageLimit | undefined {
  const data = record(error.data);
  const resets = readReset(error.data);
  const isTold = isLimitByData(id, data, words) || (resets !== undefined && LIMITED.test(words));
  const limit = readLimit(words) ?? (isTold ? describeLimit(words) : undefined);
  return limit === undefined || resets === undefined ? limit : { ...limit, resets };
}

function isLimitByData(
  id: ExternalAgentId,
  data: Readonly<Record<string, unknown>>,
  words: string,
): boolean {
  switch (id) {
    case 'claude':
      return ['rate_limit', 'billing_error'].includes(textOf(data['errorKind']));
    case 'codex':
      return /usage_?limit_?(exceeded|reached)/i.test(
        textOf(data['codexErrorInfo']) + textOf(data['codex_error_info']),
      );
    case 'gemini':
      return /RESOURCE_EXHAUSTED|resource (has been )?exhausted|\b429\b/i.test(words);
    case 'opencode':
    case 'goose':
    case 'copilot':
    case 'qwen':
    case 'other':
      return false;
  }
}

function privateWords(id: ExternalAgentId, data: Readonly<Record<string, unknown>>): string {
  switch (id) {
    case 'codex':
      return textOf(data['codexErrorInfo']) + textOf(data['codex_error_info']);
    case 'opencode':
      return textOf(data['errorName']);
    case 'gemini':
      return textOf(data['code']) + textOf(data['status']);
    case 'claude':
    case 'goose':
    case 'copilot':
    case 'qwen':
    case 'other':
      return '';
  }
}

const detailOf = (data: Readonly<Record<string, unknown>>): string =>
  textOf(data['details']) || textOf(data['message']) || textOf(data['error']);

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : typeof value === 'string'
      ? { message: value }
      : {};

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  return value === undefined || value === null || isTooDeep(value)
    ? ''
    : (JSON.stringify(value) ?? '').slice(0, 500);
}
