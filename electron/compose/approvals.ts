import os from 'node:os';
import { fileBelow } from '../adapters/files/file-below';
import { shownFolder } from '../../shared/shown-folder';
import { createApprovals, type Approvals } from '../engine/permissions/approvals';
import type { TurnRow } from '../ports/journal/rows';
import type { Core } from './core';
import type { ShareRoom } from '../engine/sharing/share-room';

/** `~/project`: folders of questions, for a reader who knows their own home. */
export const atHome = (folder: string): string => shownFolder(folder, os.homedir());

export function approvalsRoom(
  core: Core,
  onQueued: (turn: TurnRow) => void,
  share: () => Pick<ShareRoom, 'claimAnswer'>,
): Approvals {
  const { settings } = core;
  return createApprovals({
    ...core.world,
    ...core.disk,
    ...core.records,
    rules: () => ({
      mode: settings.get('approvals.mode'),
      tools: settings.get('approvals.tools'),
    }),
    setRule: async (tool, rule) => {
      await settings.setEntry('approvals.tools', tool, rule);
    },
    folders: { shown: atHome, fileBelow },
    onQueued,
    claim: (...asked) => share().claimAnswer(...asked),
  });
}
