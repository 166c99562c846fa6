import { foreseeStart } from '../engine/recovery/recover-at-start';
import type { Handlers, OuterVerb } from '../engine/api/holdfast';
import { createAdoptVerbs } from './adopt';
import { createAgentVerbs } from './agent-verbs';
import { createChannelVerbs } from './channel-verbs';
import { createDeliveryVerbs } from './delivery';
import { desktopVerbs } from './desktop-verbs';
import { runDoctor } from './doctor';
import type { Present } from './doctor-now';
import type { DraftsPart } from './drafts';
import type { Ground } from './ground';
import { createHistoryVerbs } from './history-verbs';
import { createProviderVerbs } from './provider-verbs';
import type { Rooms } from './rooms-type';
import type { SkillsPart } from './skills';
import type { Dependencies } from './dependencies';
import type { ExternalPart } from './external-agents';
import { createUnsentVerbs } from './unsent';
import { systemProcesses } from './watched-terminal';

/** What the verbs about everything outside of the engine are answered from. */
interface OuterVerbsDeps extends Pick<
  Rooms,
  | 'agents'
  | 'browsers'
  | 'channels'
  | 'commands'
  | 'deliveries'
  | 'delivery'
  | 'gateway'
  | 'mcp'
  | 'outage'
  | 'quitWhenDone'
  | 'schedule'
  | 'scheduler'
  | 'sessions'
  | 'status'
> {
  readonly dependencies: Dependencies;
  readonly drafts: DraftsPart;
  readonly outside: ExternalPart;
  readonly skills: SkillsPart;
}

/** The verbs whose answer is outside of the engine's rooms. */
export function createOuterVerbs(ground: Ground, house: OuterVerbsDeps): Handlers<OuterVerb> {
  const { clock } = ground;
  return {
    ...verbsOfAgents(ground, house),
    ...house.skills.verbs,
    ...verbsOfProviders(ground, house),
    ...house.mcp.verbs,
    ...house.dependencies.breakers.verbs,
    ...house.gateway.verbs,
    ...createChannelVerbs({
      ...ground,
      part: house.channels,
      deliveries: house.deliveries,
      breakers: house.dependencies.breakers.book,
    }),
    ...house.schedule.verbs,
    ...createDeliveryVerbs(house.delivery, () => clock.nowMs()),
    ...house.outage.verbs,
    ...house.drafts.verbs((ref) => house.sessions.find(ref).id),
    ...createHistoryVerbs({ ...ground, isAlive: () => ground.phase() !== 'stopped' }),
    ...verbsOfInstance(ground, house),
    ...createUnsentVerbs(ground.unsent, ground.crashPoints),
    ...desktopVerbs(ground.compose.desktop),
  };
}

function verbsOfAgents(ground: Ground, house: OuterVerbsDeps) {
  const { scheduleReads, workReads } = ground;
  const { agents, outside } = house;
  return {
    ...createAgentVerbs({
      ...ground,
      agents,
      schedule: scheduleReads,
      work: workReads,
      endHeartbeat: (sessionId) => house.schedule.heartbeats.stop(sessionId, 'agent removed'),
    }),
    'agents.show': async ({ name }) => ({
      agent: await agents.view(name),
      ...(await outside.look(agents.specOf(name))),
    }),
    'agents.detect': () => outside.detect(),
    'agents.hook': (report) => house.commands.hook(report),
    ...createAdoptVerbs({
      ...ground,
      agents,
      sessions: house.sessions,
      processes: systemProcesses,
      askAgent: (name, spec, ref) => outside.conversations(name, spec, ref),
    }),
  } satisfies Partial<Handlers<OuterVerb>>;
}

function verbsOfProviders(ground: Ground, house: OuterVerbsDeps) {
  const { providers, breakers } = house.dependencies;
  return createProviderVerbs({
    ...ground,
    providers,
    agents: () => house.agents,
    testOutside: (name, spec) => house.outside.test(name, spec),
    onKeyChanged: (name) => {
      house.outage.room.mended(name);
    },
    breakers: breakers.book,
  });
}

type InstanceVerb =
  | 'doctor.run'
  | 'logs.tail'
  | 'practice.kill'
  | 'instance.foresee'
  | 'instance.quitWhenDone'
  | 'instance.stop';

/** Lines of the log in which the doctor looks for errors. */
const DOCTOR_LOG_LINES = 2000;

async function present({ compose, log }: Ground, house: OuterVerbsDeps): Promise<Present> {
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

function verbsOfInstance(ground: Ground, house: OuterVerbsDeps): Handlers<InstanceVerb> {
  const { log, audit } = ground;
  return {
    'doctor.run': ({ full = false }) =>
      runDoctor(
        {
          ...ground,
          browser: house.browsers.find(),
          isOver: ground.phase() === 'stopped',
          ports: ground.ports,
          present: () => present(ground, house),
        },
        full,
      ),
    'logs.tail': async ({ lines = 100 }) => ({
      path: log.path,
      lines: [...(await log.tail(lines))],
    }),
    'practice.kill': () => {
      audit.record('practice_kill', {});
      // After the answer is on its way: the point is that nothing of this process runs on.
      setTimeout(() => process.kill(process.pid, 'SIGKILL'), 50);
      return Promise.resolve({ ok: true });
    },
    'instance.foresee': () => {
      const foreseen = foreseeStart(ground);
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
      const { resume, ask, discard } = foreseeStart(ground);
      ground.requestStop(reason);
      return Promise.resolve({
        ok: true,
        willResume: resume,
        ...(ask === 0 ? {} : { willAsk: ask }),
        ...(discard === 0 ? {} : { willDiscard: discard }),
      });
    },
  };
}
