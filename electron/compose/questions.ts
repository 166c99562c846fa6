import type { Handlers } from '../engine/api/handlers';
import type { Approvals } from '../engine/permissions/approvals';
import type { Decisions } from '../engine/recovery/decisions';
import type { createPhoneCommands } from '../engine/replies/phone-commands';
import type { QuestionAnswers } from '../engine/replies/question-answers';
import type { LaneHost, QuestionLanes } from '../engine/replies/questions';
import type { Channels } from '../engine/replies/channels';
import type { AnswerSeal } from '../ports/answer-seal';
import type { Core } from './core';

const loadCode = () => import('./load-questions');

/** Questions on channels. Their code reads shell commands, so most starts do without it. */
export interface QuestionsPart {
  lanes(host: LaneHost): QuestionLanes;
  readonly answers: QuestionAnswers;
  readonly command: ReturnType<typeof createPhoneCommands>;
}

export function createQuestionsPart(
  core: Core,
  rooms: {
    readonly approvals: Approvals;
    readonly decisions: Decisions;
    readonly channels: Pick<Channels, 'list'>;
    readonly verbs: () => Handlers;
    readonly seal: () => Promise<AnswerSeal>;
  },
): QuestionsPart {
  let loading: ReturnType<typeof load> | undefined;
  const load = async () => {
    const code = await loadCode();
    const sources = code.createQuestionSources({ ...core, ...rooms });
    const phone = {
      ...core,
      sources,
      rulesOf: (name: string) => rooms.channels.list().find((one) => one.name === name)?.questions,
      verbs: rooms.verbs,
      seal: rooms.seal,
    };
    return {
      code,
      sources,
      answers: code.createQuestionAnswers(phone),
      command: code.createPhoneCommands(phone),
    };
  };
  const loaded = () => (loading ??= load());
  return {
    lanes(host) {
      let lanes: QuestionLanes | undefined;
      const isCarried = (): boolean =>
        host.channels().some(({ questions }) => questions !== undefined) ||
        core.reads.questionChannels().length > 0;
      return {
        visit() {
          if (lanes !== undefined) lanes.visit();
          else if (isCarried())
            void loaded().then(({ code, sources }) => {
              lanes ??= code.createQuestionLanes({ ...core, ...host, sources });
              lanes.visit();
            });
        },
      };
    },
    answers: {
      press: async (...asked) => (await loaded()).answers.press(...asked),
      signed: async (...asked) => (await loaded()).answers.signed(...asked),
    },
    command: async (channel, command) => {
      const rules = rooms.channels.list().find((one) => one.name === channel)?.questions;
      return rules === undefined ? undefined : (await loaded()).command(channel, command);
    },
  };
}
