import { describe, expect, it } from 'vitest';
import { sessionMarkdown } from '../../../renderer/session/session-markdown';
import {
  sessionFileName,
  sessionLink,
  sessionMenu,
} from '../../../renderer/session/session-menu-view';
import type { AgentView, SessionEvent, SessionView, TurnSummary } from '../../../shared/types';
import { createSeed } from '../../helpers/fake-seed';
import { parseLink } from '../../../electron/shell/windows/links';

const seed = createSeed(Date.UTC(2026, 3, 1, 12));
const session: SessionView = { ...(seed.sessions[0] as SessionView), pendingEvents: 0 };
const agentOf = (executor: AgentView['executor']): AgentView => ({
  ...(seed.agents[0] as AgentView),
  executor,
});
const newest: TurnSummary = { ...(seed.turns[0] as TurnSummary), state: 'completed' };
const whyOf = (act: string, facts: Partial<Parameters<typeof sessionMenu>[0]>) =>
  sessionMenu({ session, agent: agentOf('llm'), newest, ...facts })
    .flat()
    .find((one) => one.act === act)?.why;

describe('the menu of a session', () => {
  it('has rename, pin, archive, fork, again, link, export, three ways to the folder and delete, in this order', () => {
    const acts = sessionMenu({ session, agent: agentOf('llm'), newest }).map((group) =>
      group.map(({ act }) => act),
    );
    expect(acts).toEqual([
      ['rename', 'pin', 'archive'],
      ['fork', 'again'],
      ['copyLink', 'export'],
      ['files', 'editor', 'terminal'],
      ['delete'],
    ]);
  });

  it('takes back a pin and an archiving', () => {
    const [first] = sessionMenu({
      session: { ...session, isPinned: true, isArchived: true },
      agent: undefined,
      newest,
    });
    expect(first?.map(({ act }) => act)).toEqual(['rename', 'unpin', 'unarchive']);
  });

  it.each([
    ['fork', {}, undefined],
    ['fork', { agent: agentOf('acp') }, 'session.menu.fork.external'],
    ['fork', { agent: undefined }, 'session.menu.fork.external'],
    ['fork', { newest: { ...newest, state: 'held' } }, 'session.menu.fork.open'],
    ['fork', { newest: undefined }, 'session.menu.fork.open'],
    ['again', {}, undefined],
    ['again', { newest: undefined }, 'session.menu.again.none'],
    ['again', { agent: undefined }, 'session.menu.noAgent'],
    ['files', { agent: undefined }, 'session.menu.noAgent'],
    ['delete', {}, undefined],
    ['delete', { session: { ...session, pendingEvents: 1 } }, 'session.menu.delete.open'],
  ] as const)('%s with %o: %s', (act, facts, why) => {
    expect(whyOf(act, facts as never)).toBe(why);
  });

  it('copies a link that the app opens', () => {
    expect(parseLink(sessionLink(7))).toBe('/sessions/7');
  });

  it.each([
    ['Fix the build: part 2', 'Fix-the-build-part-2.md'],
    ['../../etc/passwd', 'etc-passwd.md'],
    ['¿?', 'session.md'],
    ['Übersicht für Mai', 'Übersicht-für-Mai.md'],
  ])('proposes for %s the file %s', (title, name) => {
    expect(sessionFileName(title)).toBe(name);
  });
});

describe('a session as Markdown', () => {
  const event = (over: Partial<SessionEvent>): SessionEvent => ({
    seq: 1,
    sessionId: 1,
    type: 'user.message',
    atMs: Date.UTC(2026, 3, 1, 9, 5),
    isPending: false,
    text: '',
    isTruncated: false,
    ...over,
  });
  it('has the title, each prompt quoted, each tool call on one line, each answer as it was written', () => {
    const text = sessionMarkdown({ ...session, agent: 'mender' }, 'A title', [
      event({ text: 'First line\n## You' }),
      event({
        type: 'agent.tool_use',
        tool: 'shell.exec',
        text: 'npm\ntest `x`',
        stepState: 'completed',
      }),
      event({ type: 'agent.tool_use', tool: 'files.read_file', text: 'a.md', stepState: 'failed' }),
      event({ type: 'session.status_idle' }),
      event({ type: 'agent.message', text: '**Done**' }),
    ]);
    expect(text.split('\n').slice(3)).toEqual([
      '',
      '## You · 2026-04-01 09:05',
      '',
      '> First line',
      '> ## You',
      '',
      '- exec `` npm test `x` `` (completed)',
      '- read_file ` a.md ` (failed)',
      '',
      '## mender · 2026-04-01 09:05',
      '',
      '**Done**',
      '',
    ]);
  });
});
