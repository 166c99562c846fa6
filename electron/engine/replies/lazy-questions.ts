import type { JournalReads } from '../../ports/journal/reads';
import type { SettingsPort } from '../../ports/settings';
import type { Channels } from './channels';
import type { createPhoneCommands } from './phone-commands';
import type { QuestionAnswers } from './question-answers';
import type { QuestionsHost, QuestionSender } from './questions';

/** Questions on channels: sent, reminded of, answered. */
export interface LazyQuestions {
  sender(host: QuestionsHost): QuestionSender;
  readonly answers: QuestionAnswers;
  readonly command: ReturnType<typeof createPhoneCommands>;
}

interface LazyQuestionsDeps {
  readonly settings: Pick<SettingsPort, 'onChange'>;
  readonly reads: Pick<JournalReads, 'questionChannels'>;
  readonly channels: Pick<Channels, 'list'>;
  readonly load: () => Promise<{
    readonly answers: QuestionAnswers;
    readonly command: LazyQuestions['command'];
    /** The questions themselves, and digests of them. */
    readonly senders: (host: QuestionsHost) => readonly QuestionSender[];
  }>;
}

/** Their code reads shell commands: it is loaded with the first channel that carries any. W4 */
export function createLazyQuestions(deps: LazyQuestionsDeps): LazyQuestions {
  let loading: ReturnType<LazyQuestionsDeps['load']> | undefined;
  const loaded = () => (loading ??= deps.load());
  return {
    sender(host) {
      let visit: (() => void) | undefined;
      const isCarried = (): boolean =>
        host
          .channels()
          .some(({ questions, digestAt }) => questions !== undefined || digestAt !== undefined) ||
        deps.reads.questionChannels().length > 0;
      const sender: QuestionSender = {
        visit() {
          if (visit !== undefined) visit();
          else if (isCarried())
            void loaded().then((code) => {
              const all = visit === undefined ? code.senders(host) : [];
              visit ??= () => {
                for (const one of all) one.visit();
              };
              visit();
            });
        },
      };
      deps.settings.onChange((keys) => {
        if (keys.some((key) => /^(?:reminders|digest|notifications)\./.test(key))) sender.visit();
      });
      return sender;
    },
    answers: {
      press: async (...asked) => (await loaded()).answers.press(...asked),
      signed: async (...asked) => (await loaded()).answers.signed(...asked),
      look: async (...asked) => (await loaded()).answers.look(...asked),
    },
    async command(channel, command) {
      const rules = deps.channels.list().find(({ name }) => name === channel)?.questions;
      return rules === undefined ? undefined : (await loaded()).command(channel, command);
    },
  };
}
