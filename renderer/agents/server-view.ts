/** Texts about an MCP server. Pure. Rows S2-19, S2-52. */
import { t } from '../../shared/messages';
import type { ExtView, ToolView } from '../../shared/types';
import type { Shown } from '../parts/state-view';
import type { ToolRow } from '../parts/tools-table';

const STATES: Readonly<Record<ExtView['state'], Shown>> = {
  stopped: { tone: 'muted', mark: 'stop', label: 'ext.state.stopped' },
  disabled: { tone: 'muted', mark: 'pause', label: 'ext.state.disabled' },
  skipped: { tone: 'muted', mark: 'skip', label: 'ext.state.skipped' },
  starting: { tone: 'working', mark: 'play', label: 'ext.state.starting' },
  running: { tone: 'ok', mark: 'check', label: 'ext.state.running' },
  restarting: { tone: 'waiting', mark: 'clock', label: 'ext.state.restarting' },
  failed: { tone: 'outage', mark: 'cross', label: 'ext.state.failed' },
  stopping: { tone: 'waiting', mark: 'clock', label: 'ext.state.stopping' },
};

/** Mark, label and tone of the state of a server. */
export const shownServer = (state: ExtView['state']): Shown => STATES[state];

/** Second line in the list: why it does not run, otherwise its tools. */
export function serverLine(server: ExtView): string {
  if (server.reason !== '') return server.reason;
  return server.state === 'running' ? t('ext.tools', { count: server.tools.length }) : server.about;
}

/** Consequence of the state, for the pane; undefined if the state is explanation enough. */
export function serverNote(server: ExtView): string | undefined {
  switch (server.state) {
    case 'skipped':
      return t('ext.skippedAbout');
    case 'failed':
      return t('ext.failedAbout');
    case 'disabled':
      return t('ext.disabledAbout');
    case 'stopped':
    case 'starting':
    case 'running':
    case 'restarting':
    case 'stopping':
      return undefined;
  }
}

/** Its tools with their facts, in its own order. */
export function serverTools(server: ExtView, tools: readonly ToolView[]): readonly ToolRow[] {
  return server.tools.map((name) => tools.find((tool) => tool.name === name) ?? { name });
}
