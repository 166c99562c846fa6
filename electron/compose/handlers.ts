import { agentHandlers } from '../engine/api/agents';
import { decisionHandlers } from '../engine/api/decisions';
import { joinFamilies, type Families, type Handlers } from '../engine/api/handlers';
import { instanceHandlers } from '../engine/api/instance';
import { scheduleHandlers } from '../engine/api/schedule';
import { sessionHandlers } from '../engine/api/sessions';
import { createCancel, createSummarize, turnHandlers } from '../engine/api/turns';
import { foreseeStart } from '../engine/recovery/recover-at-start';
import type { Decisions } from '../engine/recovery/decisions';
import type { Approvals } from '../engine/permissions/approvals';
import { createAdoptVerbs } from './adopt';
import { createAgentVerbs } from './agent-verbs';
import { createChannelVerbs } from './channel-verbs';
import { createDeliveryVerbs } from './delivery';
import { desktopVerbs } from './desktop-verbs';
import { runDoctor } from './doctor';
import type { Present } from './doctor-now';
import type { DraftsPart } from './drafts';
import type { Core } from './core';
import { createHistoryVerbs } from './history-verbs';
import { createProviderVerbs } from './provider-verbs';
import type { Rooms } from './rooms-type';
import type { SkillsPart } from './skills';
import type { Dependencies } from './dependencies';
import type { ExternalPart } from './external-agents';
import type { Tools } from './tools';
import { createUnsentVerbs } from './unsent';
import { systemProcesses } from './watched-terminal';

/** What the verbs are answered from. */
interface HandlersDeps extends Pick<
  Rooms,
  | 'agents'
  | 'browsers'
  | 'channels'
  | 'commands'
  | 'deliveries'
  | 'delivery'
  | 'gateway'
  | 'leftProcesses'
  | 'mcp'
  | 'outage'
  | 'quitWhenDone'
  | 'schedule'
  | 'scheduler'
  | 'sessions'
  | 'status'
  | 'wakes'
> {
  readonly approvals: Approvals;
  readonly decisions: Decisions;
  readonly dependencies: Dependencies;
  readonly drafts: DraftsPart;
  readonly outside: ExternalPart;
  readonly skills: SkillsPart;
  readonly tools: Tools;
}

/** Hands each family of verbs what it answers from. */
export function createHandlers(core: Core, house: HandlersDeps): Handlers {
  const { clock } = core;
  const summarize = createSummarize({ ...core, scheduler: house.scheduler });
  const cancel = createCancel({ ...core, ...house });
  const { agents, outside, sessions, dependencies } = house;
  return joinFamilies({
    turns: turnHandlers({ ...core, ...house, summarize, cancel }),
    decisions: decisionHandlers({ ...core, ...house, summarize }),
    drafts: house.drafts.verbs((ref) => sessions.find(ref).id),
    sessions: {
      ...sessionHandlers({
        ...core,
        ...house,
        work: core.workReads,
        environmentOf: (agent) => agents.environmentOf(agent),
        statusOf: sessionFacts(core, house),
        summarize,
        cancel,
      }),
      ...createAdoptVerbs({
        ...core,
        agents,
        sessions,
        processes: systemProcesses,
        askAgent: (name, spec, ref) => outside.conversations(name, spec, ref),
      }),
    },
    agents: agentFamily(core, house),
    providers: providerFamily(core, house),
    outage: { ...dependencies.breakers.verbs, ...house.outage.verbs },
    delivery: {
      ...createChannelVerbs({
        ...core,
        part: house.channels,
        deliveries: house.deliveries,
        breakers: dependencies.breakers.book,
      }),
      ...createDeliveryVerbs(house.delivery, () => clock.nowMs()),
    },
    schedule: scheduleFamily(core, house),
    skills: house.skills.verbs,
    history: {
      ...createHistoryVerbs({ ...core, isAlive: () => core.phase() !== 'stopped' }),
      ...recordHandlers(core, house),
    },
    instance: {
      ...instanceHandlers(core),
      ...processHandlers(core, house),
      ...desktopVerbs(core.compose.desktop),
    },
    unsent: createUnsentVerbs(core.unsent, core.crashPoints),
  });
}

const sessionFacts = (core: Core, { drafts, scheduler }: HandlersDeps) => ({
  work: core.workReads,
  settings: core.settings,
  requests: (sessionId: number) =>
    core.reads.requests({ includeAnswered: false, sessionId, limit: 100 }),
  drafts: (sessionId: number) => drafts.drafts.stagedDrafts(sessionId),
  leaseOf: (sessionId: number) => scheduler.leaseOf(sessionId),
  monotonicMs: () => core.clock.monotonicMs(),
});

function scheduleFamily(core: Core, house: HandlersDeps): Families['schedule'] {
  return scheduleHandlers({
    ...core,
    ...house,
    room: house.schedule,
    sleepGuard: {
      isOn: house.tools.shell.isGuardOn,
      judge: async (command) =>
        (await import('../engine/shell-policy/sleep-guard')).judgeSleep(command),
    },
  });
}

function agentFamily(core: Core, house: HandlersDeps): Families['agents'] {
  const { agents, outside } = house;
  return {
    ...agentHandlers({ ...core, tools: house.tools.registry }),
    ...createAgentVerbs({
      ...core,
      agents,
      schedule: core.scheduleReads,
      work: core.workReads,
      endHeartbeat: (sessionId) => house.schedule.heartbeats.stop(sessionId, 'agent removed'),
    }),
    'agents.show': async ({ name }) => ({
      agent: await agents.view(name),
      ...(await outside.look(agents.specOf(name))),
    }),
    'agents.detect': () => outside.detect(),
    'agents.hook': (report) => house.commands.hook(report),
    'agents.test': providerVerbs(core, house)['agents.test'],
    ...house.mcp.verbs,
  };
}

function providerFamily(core: Core, house: HandlersDeps): Families['providers'] {
  const { 'agents.test': _other, ...providers } = providerVerbs(core, house);
  return { ...providers, ...house.gateway.verbs };
}

function providerVerbs(core: Core, house: HandlersDeps) {
  const { providers, breakers } = house.dependencies;
  return createProviderVerbs({
    ...core,
    providers,
    agents: () => house.agents,
    testOutside: (name, spec) => house.outside.test(name, spec),
    onKeyChanged: (name) => {
      house.outage.room.mended(name);
    },
    breakers: breakers.book,
  });
}

/** Lines of the log in which the doctor looks for errors. */
const DOCTOR_LOG_LINES = 2000;

async function present({ compose, log }: Core, house: HandlersDeps): Promise<Present> {
  const { desktop, mode, env } = compose;
  const status = house.status();
  const isShown = desktop !== undefined && status.phase === 'running';
  return {
    status,
    mode,
    env,
    ...(isShown && { desktop: await desktop.handle('app.info', {}, 'control') }),
    ...(desktop && {
      keyring: {
        backend: desktop.keyring.backend(),
        isEncrypting: desktop.keyring.isEncrypting(),
        problem: desktop.keyring.problem(),
      },
    }),
    logLines: await log.tail(DOCTOR_LOG_LINES),
  };
}

function recordHandlers(core: Core, house: HandlersDeps): Handlers<'doctor.run' | 'logs.tail'> {
  const { log } = core;
  return {
    'doctor.run': ({ full = false }) =>
      runDoctor(
        {
          ...core,
          browser: house.browsers.find(),
          isOver: core.phase() === 'stopped',
          ports: core.ports,
          present: () => present(core, house),
        },
        full,
      ),
    'logs.tail': async ({ lines = 100 }) => ({
      path: log.path,
      lines: [...(await log.tail(lines))],
    }),
  };
}

function processHandlers(
  core: Core,
  house: HandlersDeps,
): Handlers<'practice.kill' | 'instance.foresee' | 'instance.quitWhenDone' | 'instance.stop'> {
  const { log, audit } = core;
  return {
    'practice.kill': () => {
      audit.record('practice_kill', {});
      // After the answer is on its way: the point is that nothing of this process runs on.
      setTimeout(() => process.kill(process.pid, 'SIGKILL'), 50);
      return Promise.resolve({ ok: true });
    },
    'instance.foresee': () => {
      const foreseen = foreseeStart(core);
      const isAsked = foreseen.ask + foreseen.discard > 0;
      const steps = house.quitWhenDone.steps().filter(({ isEffect }) => isEffect || isAsked);
      return Promise.resolve({ ...foreseen, atWork: steps.length });
    },
    'instance.quitWhenDone': ({ isWanted }) => {
      if (isWanted) house.quitWhenDone.want();
      else house.quitWhenDone.takeBack();
      log.info('quit.when_done', { isWanted });
      return Promise.resolve({
        ok: true,
        isWanted: house.quitWhenDone.isWanted(),
        steps: [...house.quitWhenDone.steps()],
      });
    },
    'instance.stop': ({ reason }) => {
      const { resume, ask, discard } = foreseeStart(core);
      core.requestStop(reason);
      return Promise.resolve({
        ok: true,
        willResume: resume,
        ...(ask === 0 ? {} : { willAsk: ask }),
        ...(discard === 0 ? {} : { willDiscard: discard }),
      });
    },
  };
}
