import type {
  Channel,
  ChannelOrigin,
  CommandAnswer,
  InboundCommand,
  QuestionRules,
} from '../../ports/channel';
import type { Audit } from '../../ports/log';
import type { Redactor } from '../../../shared/redact';
import { turnTitle } from '../../../shared/turn-title';
import { toHoldfastError } from '../kernel/errors';
import type { QuestionSources } from './question-sources';
import { inert, questionMessage } from './question-text';

type Verb<Input, Output = unknown> = (input: Input, origin: ChannelOrigin) => Promise<Output>;

/** The verbs behind chat commands. */
interface CommandVerbs {
  readonly 'turns.list': Verb<
    { states?: ('running' | 'queued' | 'waiting')[]; limit: number },
    {
      readonly turns: readonly {
        readonly id: number;
        readonly state: string;
        readonly agent: string;
        readonly sessionKey: string;
        readonly promptStart: string;
      }[];
    }
  >;
  readonly 'turns.cancel': Verb<{ turnId: number }>;
  readonly 'turns.cancelAll': Verb<
    Record<string, never>,
    { readonly cancelled: readonly number[] }
  >;
  readonly 'intake.pause': Verb<Record<string, never>>;
  readonly 'intake.resume': Verb<Record<string, never>>;
  readonly 'session.status': Verb<{ session: string }>;
  readonly 'session.events': Verb<
    { session: string; limit: number; life: boolean },
    { readonly events: readonly { readonly type: string; readonly text: string }[] }
  >;
}

interface PhoneCommandsDeps {
  readonly audit: Audit;
  readonly redactor: Pick<Redactor, 'redactText'>;
  readonly sources: QuestionSources;
  readonly rulesOf: (channel: string) => Channel['questions'];
  readonly verbs: () => CommandVerbs;
}

/** What a chat may be told, in characters. */
const MAX_CHARS = 3_500;
const MAX_LINES = 20;
const MAX_TAIL = 5;
/** What a title has at most. */
const MAX_TITLE = 80;

const COMMAND =
  /^\/(status|waiting|stop|stopall|pause|resume|send|tail)(?:@\w{1,64})?(?:\s+([\s\S]*))?$/;

/**
 * Answers a chat command without a model. Only the people who decide on that channel may use one;
 * undefined for any other message, which goes to an agent. Each command is safe to repeat, because
 * after a kill it arrives again. PH-08
 */
export function createPhoneCommands(
  deps: PhoneCommandsDeps,
): (channel: string, command: InboundCommand) => Promise<CommandAnswer | undefined> {
  return async (channel, { person, text }) => {
    const rules = deps.rulesOf(channel);
    const [, name, said = ''] = COMMAND.exec(text.trim()) ?? [];
    if (name === undefined || rules?.decide === undefined) return undefined;
    const by: ChannelOrigin = `channel:${channel.slice(0, 32)}:${person.slice(0, 100)}`;
    if (!rules.decide.people.includes(person)) {
      deps.audit.record('command_refused', { channel, answer: name, by });
      return say('You are not listed to use commands here.');
    }
    deps.audit.record('chat_command', { channel, answer: name, by });
    return run({ deps, rules, by }, name, said.trim()).catch((thrown: unknown) => {
      const { message, hint = '' } = toHoldfastError(thrown);
      return say(`${message} ${hint}`.trim());
    });
  };
}

interface CommandContext {
  readonly deps: PhoneCommandsDeps;
  readonly rules: QuestionRules;
  readonly by: ChannelOrigin;
}

const say = (text: string): CommandAnswer => ({ kind: 'say', text: text.slice(0, MAX_CHARS) });
const line = ({ deps }: CommandContext, text: string, most: number): string =>
  inert({ hide: (all) => deps.redactor.redactText(all) }, text, most);

async function run(asked: CommandContext, name: string, said: string): Promise<CommandAnswer> {
  const { deps, by } = asked;
  const verbs = deps.verbs();
  switch (name) {
    case 'status':
      return statusOf(asked);
    case 'waiting':
      return waitingOf(asked);
    case 'stop': {
      if (!/^[1-9]\d{0,14}$/.test(said)) return say('Specify a turn: /stop 12');
      await verbs['turns.cancel']({ turnId: Number(said) }, by);
      return say(`Turn ${said} was canceled.`);
    }
    case 'stopall': {
      if (said !== 'yes')
        return say('This cancels every running, queued and waiting turn. To do it: /stopall yes');
      const { cancelled } = await verbs['turns.cancelAll']({}, by);
      return say(`Canceled turns: ${String(cancelled.length)}.`);
    }
    case 'pause':
      await verbs['intake.pause']({}, by);
      return say('New turns are paused. Running ones continue. To resume: /resume');
    case 'resume':
      await verbs['intake.resume']({}, by);
      return say('New turns start again.');
    case 'send':
      return sendTo(asked, said);
    default:
      return tailOf(asked, said);
  }
}

async function statusOf(asked: CommandContext): Promise<CommandAnswer> {
  const { deps, rules, by } = asked;
  const { turns } = await deps
    .verbs()
    ['turns.list']({ states: ['running', 'queued', 'waiting'], limit: MAX_LINES }, by);
  const open = await deps.sources.open();
  const lines = turns.map(
    ({ id, state, agent, promptStart }) =>
      `Turn ${String(id)}, ${state}, ${line(asked, agent, 64)}${rules.showsInput ? `: ${line(asked, turnTitle(promptStart), MAX_TITLE)}` : ''}`,
  );
  const [waits, idle] =
    open.length === 0
      ? ['Nothing needs your decision.', 'No turn is running.']
      : [
          `Need your decision: ${String(open.length)}. To see them: /waiting`,
          'Nothing else is running.',
        ];
  return say([waits, ...(lines.length === 0 ? [idle] : lines)].join('\n'));
}

async function waitingOf({ deps, rules }: CommandContext): Promise<CommandAnswer> {
  const open = await deps.sources.open();
  if (open.length === 0) return say('Nothing needs your decision.');
  const lines = open
    .slice(0, MAX_LINES)
    .map((one) => questionMessage(one, rules).text.split('\n')[0] ?? '');
  const more = open.length - lines.length;
  return say([...lines, ...(more > 0 ? [`${String(more)} more.`] : [])].join('\n'));
}

async function sendTo({ deps, by }: CommandContext, said: string): Promise<CommandAnswer> {
  const [, session, text] = /^(\S{1,200})\s+([\s\S]+)$/.exec(said) ?? [];
  if (session === undefined || text === undefined)
    return say('Specify a session and a message: /send SESSION your message');
  // A mistyped name must not start a new session.
  await deps.verbs()['session.status']({ session }, by);
  return { kind: 'send', session, text };
}

async function tailOf(asked: CommandContext, said: string): Promise<CommandAnswer> {
  const { deps, rules, by } = asked;
  if (said === '') return say('Specify a session: /tail SESSION');
  if (!rules.showsInput) return say('Texts of sessions are only shown on your computer.');
  const { events } = await deps
    .verbs()
    ['session.events']({ session: said, limit: 50, life: false }, by);
  const told = events.filter(({ type }) => type === 'agent.message' || type === 'user.message');
  const lines = told
    .slice(-MAX_TAIL)
    .map(
      ({ type, text }) => `${type === 'user.message' ? 'You' : 'Agent'}: ${line(asked, text, 600)}`,
    );
  return say(lines.length === 0 ? 'Nothing yet.' : lines.join('\n\n'));
}
