/** Who may decide what with a channel's buttons. Pure. */
import { callWarnings } from '../../../shared/questions/call-question';
import type { ApprovalView } from '../../../shared/types';
import type { QuestionRules } from '../../ports/channel';
import { shellRisk } from '../shell-policy/shell-risk';

/** The decision of a button. */
export type RemoteAnswer =
  'allow' | 'deny' | 'confirm' | 'skip' | 'resume' | 'discard' | 'run' | 'dismiss';

/**
 * `twice`: only after a confirming press. `desk`: not on this channel. `not_listed`: not this
 * person.
 */
type RemoteVerdict = 'once' | 'twice' | 'desk' | 'not_listed';

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
  if (decide === undefined) return 'desk';
  if (person !== undefined && !decide.people.includes(person)) return 'not_listed';
  const own = Object.hasOwn(decide.agents, asked.agent) ? decide.agents[asked.agent] : undefined;
  const level = own ?? decide.calls;
  if (level === 'none') return 'desk';
  switch (asked.answer) {
    case 'allow':
    case 'resume':
      if (!asked.isRisky) return 'once';
      return level === 'local' ? 'desk' : 'twice';
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

/** Tools whose calls only change files of the workspace. */
const FILE_TOOL = /^(?:write|edit|read|multiedit|notebookedit|move|search|think)$/i;

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
    | 'agent'
    | 'leaves'
    | 'goesTo'
    | 'isTruncated'
  >,
): boolean {
  if (view.leaves === true || view.goesTo !== undefined || view.isTruncated) return true;
  if (callWarnings(view).length > 0) return true;
  const command = commandIn(view.args);
  if (command !== undefined) return shellRisk(command).isRisky;
  const plain = view.tool.slice(view.tool.indexOf('.') + 1);
  const isOwn = view.tool.startsWith('files.') || view.tool.startsWith(`${view.agent}.`);
  return !(isOwn && FILE_TOOL.test(plain.replace(/_file$/, '')));
}

function commandIn(args: string): string | undefined {
  try {
    const value = JSON.parse(args) as { readonly command?: unknown } | null;
    return typeof value?.command === 'string' ? value.command : undefined;
  } catch {
    return undefined;
  }
}
