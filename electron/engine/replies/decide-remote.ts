/** Who may decide what with a channel's buttons. Pure. */
import { callWarnings } from '../../../shared/questions/call-question';
import { wholeCommand } from '../../../shared/questions/shell-line';
import { isFileCall, isShellCall } from '../../../shared/own-hosts';
import { parsedJson } from '../../../shared/parsed-json';
import { toolId } from '../../../shared/tool-id';
import type { ApprovalView } from '../../../shared/types';
import type { QuestionRules } from '../../ports/channel';
import { shellRisk } from '../shell-policy/shell-risk';

/** The decision of a button. */
export type RemoteAnswer =
  'allow' | 'deny' | 'confirm' | 'skip' | 'resume' | 'discard' | 'run' | 'dismiss';

/**
 * `twice`: only after a confirming press. `not_remote`: not on this channel. `not_listed`: not this
 * person.
 */
type RemoteVerdict = 'once' | 'twice' | 'not_remote' | 'not_listed';

/**
 * Whether an answer may be given with a button. `isRisky`: it allows something that deletes, may be
 * repeated, or reaches beyond this computer.
 */
export function judgeRemote(
  rules: QuestionRules,
  asked: { readonly agent: string; readonly answer: RemoteAnswer; readonly isRisky: boolean },
  /** Absent: checks whether there is a button at all. */
  person?: string,
): RemoteVerdict {
  const { decide } = rules;
  if (decide === undefined) return 'not_remote';
  if (person !== undefined && !decide.people.includes(person)) return 'not_listed';
  const own = Object.hasOwn(decide.agents, asked.agent) ? decide.agents[asked.agent] : undefined;
  const level = own ?? decide.calls;
  if (level === 'none') return 'not_remote';
  switch (asked.answer) {
    case 'allow':
    case 'resume':
      if (!asked.isRisky) return 'once';
      return level === 'local' ? 'not_remote' : 'twice';
    case 'discard':
      return 'twice';
    case 'deny':
    case 'confirm':
    case 'skip':
    case 'run':
    case 'dismiss':
      return 'once';
  }
}

/**
 * Whether a call deletes or reaches beyond this computer, as far as can be known; if too little is
 * known, it counts as if it did.
 */
export function isRiskyCall(
  view: Pick<
    ApprovalView,
    | 'kind'
    | 'tool'
    | 'covers'
    | 'hint'
    | 'args'
    | 'folder'
    | 'file'
    | 'agent'
    | 'leaves'
    | 'goesTo'
    | 'isTruncated'
  >,
): boolean {
  if (view.leaves === true || view.goesTo !== undefined || view.isTruncated) return true;
  if (callWarnings(view).length > 0) return true;
  if (isShellCall(view)) {
    const command = wholeCommand(parsedJson(view.args));
    // Elsewhere its words do not say what they do.
    const isElsewhere = view.covers.startsWith(`${view.tool} in "`);
    return command === undefined || isElsewhere || shellRisk(command).isRisky;
  }
  if (!isFileCall(view)) return true;
  const { host, name } = toolId(view.tool);
  return host !== 'files' && CHANGES.test(name) && view.file === undefined;
}

/** Tools of agents that change a file, which is known if it lies in the folder of the call. */
const CHANGES = /^(?:write|edit|multiedit|notebookedit|move)$/i;
