/**
 * What is wrong with the input of a verb, as a sentence that begins with the field: `"channel.from" is
 * missing.` The command line finds the field in it and names the option instead. Pure.
 */
import { table } from '../../../shared/table';
import type { core } from 'zod';

type Issue = core.$ZodIssue;

const MAX_CHARS = 300;

const UNITS = table<string>({
  string: 'characters',
  array: 'entries',
  set: 'entries',
});

const KINDS = table<string>({
  string: 'text',
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
});

function tooSmall({ origin, minimum }: core.$ZodIssueTooSmall): string {
  if (UNITS[origin] === undefined) return `is less than ${String(minimum)}`;
  return Number(minimum) === 1 ? 'is empty' : `has fewer than ${String(minimum)} ${UNITS[origin]}`;
}

function tooBig({ origin, maximum }: core.$ZodIssueTooBig): string {
  const unit = UNITS[origin];
  return unit === undefined
    ? `is more than ${String(maximum)}`
    : `has more than ${String(maximum)} ${unit}`;
}

function problemOf(issue: Issue): string {
  switch (issue.code) {
    case 'too_small':
      return tooSmall(issue);
    case 'too_big':
      return tooBig(issue);
    case 'invalid_type':
      return issue.message.endsWith('received undefined')
        ? 'is missing'
        : `is not ${KINDS[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return issue.values.length === 1
        ? `is not ${String(issue.values[0])}`
        : `is not one of: ${issue.values.map(String).join(', ')}`;
    case 'unrecognized_keys':
      return `has unknown fields: ${issue.keys.join(', ')}`;
    default:
      return `is not valid: ${issue.message}`;
  }
}

/** A whole sentence; it never says what was in the field. */
export function inputProblem(verb: string, issue: Issue | undefined): string {
  const at = (issue?.path ?? []).map(String).join('.').slice(0, 80);
  const what = issue === undefined ? 'is not valid' : problemOf(issue).slice(0, MAX_CHARS);
  return `${at === '' ? `The input of ${verb}` : `"${at}"`} ${what.replace(/\.$/, '')}.`;
}
