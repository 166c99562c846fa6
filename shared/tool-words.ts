/**
 * Describes what a tool does, derived from its name: `send_email` sends an email. Unclear names get
 * no description, and the generic texts are used. Pure.
 */
import { EN_WORDS } from './messages/en-words';
import { sayFrom } from './messages/say';
import { recipientOf } from './questions/recipient';

const say = sayFrom(EN_WORDS);

/** Ends the reason of a turn that needs review only because of its tools. */
export const ON_YOUR_LIST = ': on your side-effect list.';

interface EffectWords {
  /** "email"; "pull request". */
  readonly thing: string;
  readonly areMany: boolean;
  /** "sent". */
  readonly done: string;
  /** "Send". */
  readonly again: string;
}

const DONE: ReadonlyMap<string, string> = new Map([
  ['add', 'added'],
  ['archive', 'archived'],
  ['book', 'booked'],
  ['cancel', 'cancelled'],
  ['close', 'closed'],
  ['create', 'created'],
  ['delete', 'deleted'],
  ['deploy', 'deployed'],
  ['edit', 'edited'],
  ['forward', 'forwarded'],
  ['invite', 'invited'],
  ['merge', 'merged'],
  ['move', 'moved'],
  ['order', 'ordered'],
  ['pay', 'paid'],
  ['post', 'posted'],
  ['publish', 'published'],
  ['push', 'pushed'],
  ['remove', 'removed'],
  ['rename', 'renamed'],
  ['send', 'sent'],
  ['submit', 'submitted'],
  ['update', 'updated'],
  ['upload', 'uploaded'],
  ['write', 'written'],
]);

/** The next word names the target or the means: `add_comment_to_issue` adds a comment. */
const PREPOSITIONS = new Set(['to', 'from', 'in', 'into', 'on', 'for', 'with', 'by', 'at', 'via']);
/** Names with these words do more than one thing, or only under a condition. */
const NOT_PLAIN = new Set(['or', 'and', 'if', 'not']);

const WRITTEN: ReadonlyMap<string, string> = new Map([
  ['pr', 'pull request'],
  ['mr', 'merge request'],
  ['sms', 'SMS'],
  ['url', 'URL'],
  ['dm', 'direct message'],
]);

const isPlural = (word: string): boolean => /[^suiSM]s$/.test(word);

/**
 * Description of `office.send_email`; undefined if the name does not show the action and its
 * object.
 */
export function effectWords(tool: string): EffectWords | undefined {
  const words = tool
    .slice(tool.lastIndexOf('.') + 1)
    .split(/[_-]+|(?<=[a-z])(?=[A-Z])/)
    .map((word) => word.toLowerCase());
  const [verb = '', ...rest] = words;
  const done = DONE.get(verb);
  if (done === undefined || rest.some((word) => NOT_PLAIN.has(word))) return undefined;
  const end = rest.findIndex((word) => PREPOSITIONS.has(word));
  const things = (end < 0 ? rest : rest.slice(0, end)).map((word) => WRITTEN.get(word) ?? word);
  const last = things.at(-1);
  if (last === undefined || things.length > 3) return undefined;
  if (!things.every((word) => /^[a-z][a-z ]*$/i.test(word))) return undefined;
  return {
    thing: things.join(' '),
    areMany: isPlural(last),
    done,
    again: verb.charAt(0).toUpperCase() + verb.slice(1),
  };
}

/**
 * "Was the email to t.okafor sent?", without a recipient "Was the email sent?", otherwise "Did
 * frobnicate happen?".
 */
export function effectQuestion(tool: string, args?: unknown): string {
  const words = effectWords(tool);
  const own = tool.slice(tool.indexOf('.') + 1);
  // The rest of a name with more dots would be the name of another tool.
  if (words === undefined) return say('effect.happened', { name: own.includes('.') ? tool : own });
  const { areMany, thing, done } = words;
  const to = recipientOf(args);
  const name = to === undefined ? thing : say('effect.to', { name: thing, text: to });
  return say('effect.question', { count: areMany ? 2 : 1, name, what: done });
}

/**
 * A tool shown next to its agent, whose own tools contain its name: "coder, shell", not "coder,
 * coder.shell".
 */
export const toolOfAgent = (agent: string, tool: string): string =>
  tool.startsWith(`${agent}.`) ? tool.slice(agent.length + 1) : tool;
