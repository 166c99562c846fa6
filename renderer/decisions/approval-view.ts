/** Texts of an approval, or of a tool with an external result. Pure. */
import { callQuestion } from '../../shared/questions/call-question';
import { sentenceText, t } from '../../shared/messages';
import type { ApprovalView, Purity, ToolView } from '../../shared/types';
import { oneLine } from '../parts/inert-view';
import { toolName } from '../parts/tool-name';

const CUSTOM = 'custom.';
const NAME_CHARS = 60;

/** Display name of a question's tool: `shell`, `send_email`, `mail.send`. */
export function plainTool(tool: string): string {
  return oneLine(tool.startsWith(CUSTOM) ? tool.slice(CUSTOM.length) : toolName(tool), NAME_CHARS);
}

/** What permission for the session covers; shown as a command if it is narrower than the tool. */
function coveredName({ tool, covers }: Pick<ApprovalView, 'tool' | 'covers'>): string {
  const rest = covers.startsWith(`${tool} `) ? covers.slice(tool.length + 1).trim() : '';
  return rest === '' ? plainTool(tool) : oneLine(rest, NAME_CHARS);
}

/** "Allow `rm -rf build` in ~/project?", "What did look_up_order return?" */
export const approvalQuestion = (request: Parameters<typeof callQuestion>[0]): string =>
  oneLine(sentenceText(callQuestion(request)), 240);

/** The same with its full folder, for places with enough space. */
export const wholeApprovalQuestion = (request: ApprovalView): string =>
  oneLine(sentenceText(callQuestion(request, (folder) => folder)), 300);

/** Possible answers of the user. */
export type Reply =
  | { readonly kind: 'allow'; readonly scope: 'once' | 'session' | 'always' }
  | { readonly kind: 'deny'; readonly note: string }
  | { readonly kind: 'result'; readonly output: string };

/** Confirmation shown after an answer is on disk. */
export function saidOf(reply: Reply): string {
  switch (reply.kind) {
    case 'allow':
      return t(
        reply.scope === 'once'
          ? 'approval.saidAllowed'
          : reply.scope === 'session'
            ? 'approval.saidSession'
            : 'approval.saidAlways',
      );
    case 'deny':
      return t('approval.saidDenied');
    case 'result':
      return t('approval.saidResult');
  }
}

export type Scope = Extract<Reply, { kind: 'allow' }>['scope'];

/** What each answer "allow" would cover, narrowest first. */
export function scopeRows(
  request: Pick<ApprovalView, 'tool' | 'covers'>,
  isFar: boolean,
): readonly { readonly scope: Scope; readonly label: string; readonly about: string }[] {
  const name = coveredName(request);
  const what = /^git push( to |$)/.test(name) ? 'push' : 'other';
  return [
    { scope: 'once', label: t('scope.once'), about: t('scope.onceAbout') },
    { scope: 'session', label: t('scope.session'), about: t('scope.sessionAbout', { name, what }) },
    {
      scope: 'always',
      label: t('scope.always'),
      about: t(isFar ? 'scope.alwaysThere' : 'scope.alwaysAbout', {
        name,
        what,
        text: oneLine(request.covers, 200),
      }),
    },
  ];
}

/** A button, its consequence in a few words, and in full. */
interface ApprovalOffer {
  readonly label: string;
  readonly short: string;
  readonly effect: string;
}

/** The answers to a question, each saying what it covers. */
export function approvalOffers(request: Pick<ApprovalView, 'kind' | 'tool' | 'covers'>): {
  readonly once: ApprovalOffer;
  readonly always: ApprovalOffer;
  readonly session: ApprovalOffer;
  readonly deny: ApprovalOffer;
  readonly result: ApprovalOffer;
} {
  const name = coveredName(request);
  const isCustom = request.kind === 'custom_tool';
  return {
    once: {
      label: t('approval.once'),
      short: t('approval.onceShort'),
      effect: t('approval.onceEffect'),
    },
    always: {
      label: t('approval.always', { name: oneLine(name, 40) }),
      short: t('approval.alwaysAbout'),
      effect: t('approval.alwaysAsk', { name, text: oneLine(request.covers, 200) }),
    },
    session: {
      label: t('approval.forSession'),
      short: t('approval.forSessionShort', { name: oneLine(name, 22) }),
      effect: t('approval.forSessionEffect', { name }),
    },
    deny: {
      label: t('approval.deny'),
      short: t(isCustom ? 'approval.refuseResultShort' : 'approval.denyShort'),
      effect: t(isCustom ? 'approval.refuseResultEffect' : 'approval.denyEffect'),
    },
    result: {
      label: t('approval.giveResult'),
      short: t('approval.giveResultShort'),
      effect: t('approval.giveResultEffect'),
    },
  };
}

/** How the answer reads once it is given: "Allowed, for git push in this session". */
export function answerText(request: ApprovalView): string {
  if (request.answer === undefined) return '';
  const word = t(`approval.answered.${request.answer}`);
  if (request.answer !== 'allowed') return word;
  const scope = request.scope ?? 'once';
  const name = scope === 'session' ? coveredName(request) : '';
  return `${word}, ${t(`approval.scope.${scope}`, { name })}`;
}

const PLACES = ['window', 'cli', 'tray', 'control'] as const;

/** Label of the answer's source; an unknown one is shown unchanged. */
export function answeredBy(by: string): string {
  const channel = /^channel:([^:]+):/.exec(by)?.[1];
  if (channel !== undefined) return t('approval.by.channel', { name: oneLine(channel, 64) });
  const known = PLACES.find((place) => place === by);
  return known === undefined ? oneLine(by, 64) : t(`approval.by.${known}`);
}

/**
 * The effect class of a call: external if it is known to leave this computer, otherwise its tool's;
 * an unknown tool counts as a side effect. S4-32.
 */
export function purityOf(
  { tool, leaves }: Pick<ApprovalView, 'tool' | 'leaves'>,
  tools: readonly ToolView[],
): Purity {
  if (leaves === true) return 'external';
  // Holdfast's tools are listed by their plain names, all others with their host.
  const known = tools.find(({ host, name }) => name === tool || `${host}.${name}` === tool);
  return known?.purity ?? 'side_effect';
}
