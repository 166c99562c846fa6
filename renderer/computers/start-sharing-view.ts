/** Ways to start sharing work on this computer, and the progress of a start. Pure. */
import { t } from '../../shared/messages';
import type { HostOutlook, ShareStatus } from '../../shared/types/share';

export const doingText = ({ doing }: Pick<ShareStatus, 'doing'>): string | undefined =>
  doing === undefined ? undefined : t(`computers.doing.${doing}`);

/** `none`: Holdfast's own PostgreSQL cannot be used here. */
export const hostWay = ({ major, fetchable }: HostOutlook): 'installed' | 'fetch' | 'none' =>
  major !== undefined ? 'installed' : fetchable === undefined ? 'none' : 'fetch';

interface HostLine {
  readonly text: string;
  readonly isRefusal: boolean;
}

/** Text before the user starts; an obstacle with its reason, and what to do. */
export function hostLines(outlook: HostOutlook): readonly HostLine[] {
  const { major, fetchable, hasStore, refusal } = outlook;
  const plain = (text: string): HostLine => ({ text, isRefusal: false });
  const before = hasStore ? [plain(t('computers.host.again'))] : [];
  if (major !== undefined)
    return [plain(t('computers.host.installed', { version: String(major) })), ...before];
  if (fetchable !== undefined)
    return [plain(t('computers.host.fetchable', { version: String(fetchable) })), ...before];
  if (refusal === undefined) return before;
  return [{ text: refusal.message, isRefusal: true }, plain(refusal.hint)];
}
