/** A whole session as Markdown, for a file. */
import { t } from '../../shared/messages';
import type { SessionEvent, SessionView } from '../../shared/types';
import { toolName } from '../parts/tool-name';

const dateText = (atMs: number): string =>
  new Date(atMs).toISOString().replace('T', ' ').slice(0, 16);

/** A prompt must be distinguishable from the answers, whatever Markdown it contains. */
const quoted = (text: string): string =>
  text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');

function eventMarkdown(event: SessionEvent, agent: string): string | undefined {
  switch (event.type) {
    case 'user.message':
    case 'user.define_outcome':
      return `## ${t('session.export.you')} · ${dateText(event.atMs)}\n\n${quoted(event.text)}`;
    case 'agent.message':
      return event.text === ''
        ? undefined
        : `## ${agent} · ${dateText(event.atMs)}\n\n${event.text}`;
    case 'agent.tool_use':
    case 'agent.custom_tool_use':
      return `- ${toolName(event.tool ?? '')} ${code(event.text)} (${event.stepState ?? ''})`;
    default:
      return undefined;
  }
}

/** On one line, with a fence longer than any run of backticks inside it. */
function code(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim().slice(0, 300);
  if (line === '') return '';
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence} ${line} ${fence}`;
}

/** Events with their full texts, oldest first. */
export function sessionMarkdown(
  session: Pick<SessionView, 'title' | 'agent' | 'createdAtMs'>,
  title: string,
  events: readonly SessionEvent[],
): string {
  const blocks = [
    `# ${title}`,
    `${t('sessions.col.agent')}: ${session.agent} · ${dateText(session.createdAtMs)} UTC`,
  ];
  let wasTool = false;
  for (const event of events) {
    const block = eventMarkdown(event, session.agent);
    if (block === undefined) continue;
    const isTool = block.startsWith('- ');
    if (isTool && wasTool) blocks.push(`${blocks.pop() ?? ''}\n${block}`);
    else blocks.push(block);
    wasTool = isTool;
  }
  return `${blocks.join('\n\n')}\n`;
}
