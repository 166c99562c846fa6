/** What a person is asked: approvals, decisions after a crash, and both on channels. */
import os from 'node:os';
import { fileBelow } from '../adapters/files/file-below';
import { shownFolder } from '../../shared/shown-folder';
import type { Handlers } from '../engine/api/handlers';
import { createApprovals, type Approvals } from '../engine/permissions/approvals';
import { createDecisions, type Decisions } from '../engine/recovery/decisions';
import type { LeftProcessesRoom } from '../engine/recovery/left-processes';
import type { Channels } from '../engine/replies/channels';
import { createLazyQuestions, type LazyQuestions } from '../engine/replies/lazy-questions';
import { createQuestionTimes } from '../engine/replies/question-times';
import type { ShareRoom } from '../engine/sharing/share-room';
import { toolFacts } from '../engine/turns/tool-registry';
import type { AnswerSeal } from '../ports/answer-seal';
import type { TurnRow } from '../ports/journal/rows';
import type { Core } from './core';
import type { Dependencies } from './dependencies';
import type { Tools } from './tools';

/** `~/project`: folders of questions, for a reader who knows their own home. */
const atHome = (folder: string): string => shownFolder(folder, os.homedir());

export const createApprovalsPart = (
  core: Core,
  onQueued: (turn: TurnRow) => void,
  share: () => Pick<ShareRoom, 'claimAnswer'>,
): Approvals =>
  createApprovals({
    ...core,
    folders: { shown: atHome, fileBelow },
    onQueued,
    claim: (...asked) => share().claimAnswer(...asked),
  });

export const createDecisionsPart = (
  core: Core,
  rooms: { readonly tools: Tools; readonly leftProcesses: LeftProcessesRoom },
  onQueued: (turn: TurnRow) => void,
): Decisions =>
  createDecisions({
    ...core,
    tools: toolFacts(rooms.tools.registry),
    processesOf: (turnId) => rooms.leftProcesses.ofTurn(turnId),
    shownFolder: atHome,
    onQueued,
  });

export function createQuestionsPart(
  core: Core,
  rooms: {
    readonly approvals: Approvals;
    readonly decisions: Decisions;
    readonly channels: Pick<Channels, 'list' | 'isQuiet'>;
    readonly verbs: () => Handlers;
    readonly seal: () => Promise<AnswerSeal>;
    readonly dependencies: Pick<Dependencies, 'outage'>;
  },
): LazyQuestions {
  return createLazyQuestions({
    ...core,
    ...rooms,
    async load() {
      const [
        { createDigests },
        { createPhoneCommands },
        { createQuestionAnswers },
        { createQuestionSources },
        { createQuestionSender },
      ] = await Promise.all([
        import('../engine/replies/digests'),
        import('../engine/replies/phone-commands'),
        import('../engine/replies/question-answers'),
        import('../engine/replies/question-sources'),
        import('../engine/replies/questions'),
      ]);
      const sources = createQuestionSources({ ...core, ...rooms });
      const phone = {
        ...core,
        ...rooms,
        sources,
        rulesOf: (name: string) =>
          rooms.channels.list().find((one) => one.name === name)?.questions,
      };
      const times = createQuestionTimes(core, rooms.channels.isQuiet);
      const outside = () =>
        rooms.dependencies.outage.outside()?.providers.map(({ sentence }) => sentence) ?? [];
      return {
        answers: createQuestionAnswers(phone),
        command: createPhoneCommands(phone),
        senders: (host) => [
          createQuestionSender({
            ...core,
            ...host,
            sources,
            times,
            urgent: () => core.settings.get('notifications.urgent'),
          }),
          createDigests({ ...core, ...host, sources, times, outside }),
        ],
      };
    },
  });
}
