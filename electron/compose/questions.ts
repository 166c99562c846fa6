import type { Handlers } from '../engine/api/handlers';
import type { Approvals } from '../engine/permissions/approvals';
import type { Decisions } from '../engine/recovery/decisions';
import type { createPhoneCommands } from '../engine/replies/phone-commands';
import type { QuestionAnswers } from '../engine/replies/question-answers';
import type { LaneHost, QuestionLanes } from '../engine/replies/questions';
import type { Channels } from '../engine/replies/channels';
import type { AnswerSeal } from '../ports/answer-seal';
import { lastQuietEndMs } from '../../shared/quiet-hours';
import { durationMs } from '../../shared/settings';
import type { QuestionTimes } from '../engine/replies/plan-reminders';
import type { Dependencies } from './dependencies';
import type { Core } from './core';

const loadCode = () => import('./load-questions');

/** Questions on channels. Their code reads shell commands, so most starts do without it. */
export interface QuestionsPart {
  lanes(host: LaneHost): QuestionLanes;
  readonly answers: QuestionAnswers;
  readonly command: ReturnType<typeof createPhoneCommands>;
}

/** Reminders and quiet hours as the settings and the desktop say. PH-07 */
function createTimes(core: Core, isQuietNow: () => boolean): () => QuestionTimes {
  let endedAtMs = 0;
  let wasQuiet = false;
  return () => {
    const { settings } = core;
    const { clock } = core.world;
    const nowMs = clock.nowMs();
    const span = settings.get('notifications.quiet_hours');
    const isQuiet = isQuietNow();
    if (wasQuiet && !isQuiet) endedAtMs = nowMs;
    wasQuiet = isQuiet;
    return {
      nowMs,
      isQuiet,
      awakeSinceMs: Math.max(endedAtMs, lastQuietEndMs(span, nowMs)),
      afterMs: durationMs(settings.get('reminders.after')),
    };
  };
}

const visitBoth =
  (...both: readonly QuestionLanes[]) =>
  (): void => {
    for (const one of both) one.visit();
  };

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
): QuestionsPart {
  let loading: ReturnType<typeof load> | undefined;
  const load = async () => {
    const code = await loadCode();
    const sources = code.createQuestionSources({
      ...core.world,
      ...core.disk,
      ...core.secrets,
      settings: core.settings,
      ...rooms,
    });
    const phone = {
      ...core.world,
      ...core.disk,
      ...core.records,
      ...core.life,
      ...core.secrets,
      settings: core.settings,
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
      let visit: (() => void) | undefined;
      const base = { ...core.world, ...core.disk, ...core.records };
      const times = createTimes(core, rooms.channels.isQuiet);
      const urgent = () => core.settings.get('notifications.urgent');
      const outside = () =>
        rooms.dependencies.outage.outside()?.providers.map(({ sentence }) => sentence) ?? [];
      const isCarried = (): boolean =>
        host
          .channels()
          .some(({ questions, digestAt }) => questions !== undefined || digestAt !== undefined) ||
        core.disk.reads.questionChannels().length > 0;
      const lanes: QuestionLanes = {
        visit() {
          if (visit !== undefined) visit();
          else if (isCarried())
            void loaded().then(({ code, sources }) => {
              const shared = { ...base, ...host, sources, times };
              visit ??= visitBoth(
                code.createQuestionLanes({ ...shared, urgent }),
                code.createDigests({ ...shared, outside }),
              );
              visit();
            });
        },
      };
      core.settings.onChange((keys) => {
        if (keys.some((key) => /^(?:reminders|digest|notifications)\./.test(key))) lanes.visit();
      });
      return lanes;
    },
    answers: {
      press: async (...asked) => (await loaded()).answers.press(...asked),
      signed: async (...asked) => (await loaded()).answers.signed(...asked),
      look: async (...asked) => (await loaded()).answers.look(...asked),
    },
    command: async (channel, command) => {
      const rules = rooms.channels.list().find((one) => one.name === channel)?.questions;
      return rules === undefined ? undefined : (await loaded()).command(channel, command);
    },
  };
}
