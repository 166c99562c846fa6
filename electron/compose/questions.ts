import type { Handlers } from '../engine/api/handlers';
import type { Approvals } from '../engine/permissions/approvals';
import type { Decisions } from '../engine/recovery/decisions';
import type { Channels } from '../engine/replies/channels';
import { createLazyQuestions, type LazyQuestions } from '../engine/replies/lazy-questions';
import { createQuestionTimes } from '../engine/replies/question-times';
import type { AnswerSeal } from '../ports/answer-seal';
import type { Core } from './core';
import type { Dependencies } from './dependencies';

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
  const base = { ...core, ...core.world, ...core.disk, ...core.records, ...core.secrets };
  return createLazyQuestions({
    ...base,
    ...rooms,
    async load() {
      const [
        { createDigests },
        { createPhoneCommands },
        { createQuestionAnswers },
        { createQuestionSources },
        { createQuestionLanes },
      ] = await Promise.all([
        import('../engine/replies/digests'),
        import('../engine/replies/phone-commands'),
        import('../engine/replies/question-answers'),
        import('../engine/replies/question-sources'),
        import('../engine/replies/questions'),
      ]);
      const sources = createQuestionSources({ ...base, ...rooms });
      const phone = {
        ...base,
        ...core.life,
        ...rooms,
        sources,
        rulesOf: (name: string) =>
          rooms.channels.list().find((one) => one.name === name)?.questions,
      };
      const times = createQuestionTimes(base, rooms.channels.isQuiet);
      const outside = () =>
        rooms.dependencies.outage.outside()?.providers.map(({ sentence }) => sentence) ?? [];
      return {
        answers: createQuestionAnswers(phone),
        command: createPhoneCommands(phone),
        lanes: (host) => [
          createQuestionLanes({
            ...base,
            ...host,
            sources,
            times,
            urgent: () => core.settings.get('notifications.urgent'),
          }),
          createDigests({ ...base, ...host, sources, times, outside }),
        ],
      };
    },
  });
}
