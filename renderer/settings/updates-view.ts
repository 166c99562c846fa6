/** Texts and actions of the updates section. Pure. */
import { t } from '../../shared/messages';
import type { UpdateStatus } from '../../shared/types/updates';

interface UpdatesView {
  readonly sentence: string;
  readonly tone: 'ok' | 'waiting' | 'attention';
  /** Why the last check, download, or installation failed. */
  readonly problem: string | undefined;
  readonly advice: string | undefined;
  readonly last:
    { readonly text: string; readonly atMs: number; readonly isBad: boolean } | undefined;
  readonly canCheck: boolean;
  /** The version that a button installs. */
  readonly install: string | undefined;
  readonly canCancel: boolean;
}

export function updatesView(status: UpdateStatus): UpdatesView {
  const { state, version = '', problem, last, canInstall } = status;
  const isBusy = state === 'downloading' || state === 'draining' || state === 'installing';
  const isThere = state === 'available' || state === 'ready';
  return {
    sentence: sentenceOf(status, version),
    tone: state === 'idle' ? 'ok' : 'waiting',
    problem,
    advice: canInstall ? undefined : status.advice,
    last:
      last === undefined
        ? undefined
        : {
            text: [
              t(`updates.last.${last.outcome}`, { first: last.from, last: last.to }),
              last.reason,
            ]
              .filter((part) => part !== undefined)
              .join(' '),
            atMs: last.atMs,
            isBad: last.outcome !== 'installed',
          },
    canCheck: !isBusy,
    install: canInstall && (isThere || state === 'waiting') ? version : undefined,
    canCancel: state === 'waiting' || state === 'draining',
  };
}

function sentenceOf(status: UpdateStatus, version: string): string {
  switch (status.state) {
    case 'idle':
      return status.checkedAtMs === undefined
        ? t('updates.unchecked', { version: status.current })
        : t('updates.current', { version: status.current });
    case 'waiting':
      return t('updates.waiting', { version, count: status.running });
    default:
      return t(`updates.${status.state}`, { version });
  }
}
