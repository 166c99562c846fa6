/** Notices that several pages show, with their Undo. */
import type { HoldfastBridge } from '../../shared/contract';
import { t } from '../../shared/messages';
import type { StatusSnapshot } from '../../shared/types';
import type { DraftView } from '../../shared/types/drafts';
import { callVerb } from '../bridge';
import type { Trouble } from '../bridge';
import { undoneKey } from '../drafts/drafts-view';
import { oneLine } from '../parts/inert-view';
import { clockText } from '../parts/time-view';
import { toast } from './toasts';

/** New turns wait; Undo starts them again. */
export function sayPaused(bridge: HoldfastBridge, status: StatusSnapshot): void {
  const untilMs = status.paused?.untilMs;
  toast({
    message:
      untilMs === undefined
        ? t('said.paused')
        : t('said.pausedUntil', { time: clockText(untilMs, status.nowMs) }),
    tone: 'muted',
    undo: () => void callVerb(bridge, 'intake.resume', {}),
  });
}

/** An action that ran after its notice failed. */
export const sayRefused = ({ message, hint = '' }: Trouble): void =>
  toast({ title: oneLine(message, 200), message: hint, tone: 'outage' });

/**
 * A draft was applied to its file. Undo restores the replaced file, or removes the new one, unless
 * it has changed since.
 */
export function sayApplied(
  bridge: HoldfastBridge,
  { draftId, path }: Pick<DraftView, 'draftId' | 'path'>,
  onUndone: (sentence: string) => void,
): void {
  const file = oneLine(path);
  const undo = async (): Promise<void> => {
    const list = await callVerb(bridge, 'drafts.list', { decided: true, limit: 200 });
    const draft = list.ok ? list.value.drafts.find((one) => one.draftId === draftId) : undefined;
    if (draft === undefined) return;
    const { requestHash } = draft;
    const done = await callVerb(bridge, 'drafts.restore', { draftId, requestHash });
    if (done.ok) onUndone(t(undoneKey(done.value.outcome), { file }));
    else sayRefused(done);
  };
  toast({
    // The page itself shows that it is applied.
    message: t('drafts.said.undo', { file }),
    tone: 'kept',
    undo: () => void undo(),
  });
}
