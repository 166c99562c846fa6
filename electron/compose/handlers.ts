import path from 'node:path';
import { createDoctorFacts } from '../adapters/doctor/doctor-facts';
import { createReportHider } from '../adapters/secrets/report-hider';
import { crashSoon } from '../adapters/instance/process-table';
import { createAuditReader } from '../adapters/log/audit-reader';
import { createPowerRecords } from '../adapters/log/power-records';
import { describeProviderKey, resolveProviderKey } from '../adapters/secrets/provider-key';
import { createHistoryReads } from '../adapters/sqlite/tables/history';
import { agentHandlers } from '../engine/api/agents';
import { decisionHandlers } from '../engine/api/decisions';
import { draftHandlers } from '../engine/api/drafts';
import { deliveryHandlers } from '../engine/api/delivery';
import { joinFamilies, type Families, type Handlers } from '../engine/api/handlers';
import { historyHandlers } from '../engine/api/history';
import { hostHandlers } from '../engine/api/hosts';
import { instanceHandlers } from '../engine/api/instance';
import { outageHandlers } from '../engine/api/outage';
import { providerHandlers, type DescribeProvider } from '../engine/api/providers';
import { scheduleHandlers } from '../engine/api/schedule';
import { searchHandlers } from '../engine/api/search';
import { sessionHandlers } from '../engine/api/sessions';
import { shareHandlers } from '../engine/api/share';
import { skillHandlers } from '../engine/api/skills';
import { updateHandlers } from '../engine/api/updates';
import { createCancel, createSummarize, turnHandlers, type Summarize } from '../engine/api/turns';
import { unsentHandlers } from '../engine/api/unsent';
import { createSessionEdits } from '../engine/sessions/edit-session';
import { createSessionErasure } from '../adapters/sqlite/erase-sessions';
import { createDayLine } from '../engine/history/day-line';
import { createEventList } from '../engine/history/event-list';
import type { Adoption } from '../engine/executors/program/adopt';
import { createCheckProvider, type CheckProvider } from '../engine/executors/llm/check-provider';
import { foreseeStart } from '../engine/recovery/recover-at-start';
import type { Decisions } from '../engine/recovery/decisions';
import type { Budgets } from '../engine/budgets/budgets';
import type { Approvals } from '../engine/permissions/approvals';
import type { Present } from '../engine/status/doctor';
import { oneTurn } from '../read-in-slices';
import type { DraftsPart } from './drafts';
import type { Core } from './core';
import type { Intake, LeftOpen, Outbound, Programs, Rooms, Runners } from './rooms-type';
import type { LazySearch } from '../engine/search/lazy-search';
import type { Skills } from '../engine/skills/skills';
import { sleepGuardWords } from '../engine/shell-policy/guarded-tools';
import type { AgentFolders } from '../ports/agent-folders';
import type { Dependencies } from './dependencies';
import type { ExternalPart } from './executors';
import type { Tools } from './tools';

/** What only verbs need, besides the rooms. */
interface HandlersDeps {
  readonly adoption: Adoption;
  readonly budgets: Budgets;
  readonly approvals: Approvals;
  readonly decisions: Decisions;
  readonly dependencies: Dependencies;
  readonly describe: DescribeProvider;
  readonly drafts: DraftsPart;
  readonly folders: AgentFolders;
  readonly outside: ExternalPart;
  readonly search: LazySearch;
  readonly skills: Skills;
  readonly tools: Tools;
}

/** The rooms before their verbs are wired. */
type Wired = Omit<Rooms, 'verbs'>;

/** All that a family may answer from; each takes what its own dependencies name. */
type Parts = Omit<LeftOpen, keyof HandlersDeps> &
  Runners &
  Intake &
  Outbound &
  Programs &
  Pick<Rooms, 'gateway' | 'hosts' | 'status'> &
  HandlersDeps;

/** Hands each family of verbs what it answers from. */
export function createHandlers(rooms: Wired, own: HandlersDeps): Handlers {
  const { core, gateway, hosts, status, leftOpen, runners, intake, outbound, programs } = rooms;
  const parts: Parts = {
    ...leftOpen,
    ...runners,
    ...intake,
    ...outbound,
    ...programs,
    gateway,
    hosts,
    status,
    ...own,
  };
  const base = { ...core.world, ...core.disk, ...core.records };
  const summarize = summarizeOf(core, parts);
  const cancel = createCancel({ ...base, ...parts });
  const { sessions } = parts;
  const check = checkProvider(core, parts.dependencies);
  return joinFamilies({
    turns: turnHandlers({
      ...base,
      ...core.told,
      policy: core.policy,
      ...parts,
      summarize,
      cancel,
    }),
    decisions: decisionHandlers({ ...base, ...parts, summarize }),
    drafts: draftHandlers({ sessions, drafts: parts.drafts.drafts }),
    sessions: sessionFamily(core, parts, { summarize, cancel }),
    agents: agentFamily(core, parts, check),
    providers: providerFamily(core, parts, check),
    outage: outageFamily(core, parts),
    delivery: deliveryHandlers({
      ...base,
      ...core.life,
      settings: core.settings,
      ...parts,
      secrets: core.secrets.keys.secrets,
      viewKey: (name, settings) => describeProviderKey(name, settings, core.secrets.keys),
      breakers: parts.dependencies.breakers.registry,
    }),
    schedule: scheduleFamily(core, parts),
    skills: skillHandlers({ settings: core.settings, ...parts }),
    share: shareHandlers({ ...base, ...parts }),
    hosts: hostHandlers(parts),
    history: historyFamily(core, parts),
    search: searchHandlers(parts.search),
    instance: instanceHandlers({
      ...core.records,
      ...core.life,
      settings: core.settings,
      ...parts,
      foresee: () =>
        foreseeStart({
          ...core.world,
          ...core.disk,
          ...core.life,
          policy: core.policy,
        }),
      crash: crashSoon,
      desktop: core.compose.desktop,
    }),
    unsent: unsentHandlers({ ...core.world, ...core.disk }),
    updates: updateHandlers(parts),
  });
}

const summarizeOf = (core: Core, { scheduler, share }: Parts): Summarize =>
  createSummarize({
    ...core.disk,
    ...core.life,
    ...core.told,
    scheduler,
    isSharing: () => share.outlook() !== undefined,
  });

const sessionFacts = (core: Core, { drafts, scheduler, share }: Parts) => ({
  work: core.disk.workReads,
  settings: core.settings,
  requests: (sessionId: number) =>
    core.disk.reads.requests({ includeAnswered: false, sessionId, limit: 100 }),
  drafts: (sessionId: number) => drafts.drafts.stagedDrafts(sessionId),
  leaseOf: (sessionId: number) => scheduler.leaseOf(sessionId),
  monotonicMs: () => core.world.clock.monotonicMs(),
  isElsewhere: (turnId: number) =>
    share.outlook() !== undefined && core.disk.reads.sharedTurn(turnId)?.state === 'away',
});

function scheduleFamily(core: Core, parts: Parts): Families['schedule'] {
  return scheduleHandlers({
    ...core.world,
    ...core.disk,
    ...core.records,
    ...parts,
    room: parts.schedule,
    sleepGuard: {
      isOn: parts.tools.shell.isGuardOn,
      judge: async (command) =>
        (await import('../engine/shell-policy/sleep-guard')).judgeSleep(command),
    },
  });
}

const checkProvider = (core: Core, { providers, breakers }: Dependencies): CheckProvider =>
  createCheckProvider({
    ...core.world,
    providers,
    breakers: breakers.registry,
    timeout: (ms) => AbortSignal.timeout(ms),
  });

function providerFamily(core: Core, parts: Parts, check: CheckProvider): Families['providers'] {
  return providerHandlers({
    ...core.world,
    ...core.records,
    ...core.life,
    settings: core.settings,
    ...parts,
    ...core.secrets.keys,
    check,
    models: async () => {
      const { createModelLists } = await import('../adapters/providers/model-list');
      return createModelLists({
        ...core.world,
        settings: core.settings,
        version: core.version,
        secretsKey: (name, spec) => resolveProviderKey(name, spec, core.secrets.keys),
      });
    },
  });
}

const outageFamily = (core: Core, { dependencies, fallback }: Parts) =>
  outageHandlers({
    ...core.world,
    ...core.disk,
    ...core.records,
    settings: core.settings,
    ...dependencies,
    fallback,
  });

function sessionFamily(
  core: Core,
  parts: Parts,
  turns: { readonly summarize: Summarize; readonly cancel: ReturnType<typeof createCancel> },
): Families['sessions'] {
  const { sessions, agents } = parts;
  return sessionHandlers({
    ...core.disk,
    ...parts,
    work: core.disk.workReads,
    environmentOf: (agent) => agents.environmentOf(agent),
    statusOf: sessionFacts(core, parts),
    acts: {
      edits: createSessionEdits({
        ...core.world,
        ...core.disk,
        ...core.records,
        sessions,
        schedule: core.disk.scheduleReads,
        erasure: createSessionErasure(core.disk.db, (entries) => core.disk.journal.commit(entries)),
        droppingWakes: (...given) => parts.wakes.dropping(...given),
        canFork: (agent) => agents.environmentOf(agent)?.executor === 'llm',
      }),
      adoption: parts.adoption,
    },
    ...turns,
  });
}

function agentFamily(core: Core, parts: Parts, check: CheckProvider): Families['agents'] {
  const { outside, commands } = parts;
  return agentHandlers({
    ...core.records,
    ...core.life,
    settings: core.settings,
    policy: core.policy,
    ...parts,
    work: { ...core.disk, settings: core.settings },
    heartbeats: parts.schedule.heartbeats,
    programs: {
      hooks: () => outside.hooks(),
      look: (spec) => outside.look(spec),
      detect: () => outside.detect(),
      install: (asked) => outside.install(asked),
      test: (name, spec) => outside.test(name, spec),
      hook: (report) => commands.hook(report),
    },
    check,
    tools: parts.tools.registry,
  });
}

/** Lines of the log in which the doctor looks for errors. */
const DOCTOR_LOG_LINES = 2000;

async function present({ compose, records: { log } }: Core, parts: Parts): Promise<Present> {
  const { desktop, mode, env } = compose;
  const status = parts.status();
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

function historyFamily(core: Core, parts: Parts): Families['history'] {
  const { settings } = core;
  const { reads } = core.disk;
  const { log, audit } = core.records;
  const history = createHistoryReads(core.disk.db);
  const isOver = (): boolean => core.life.phase() === 'stopped';
  return historyHandlers({
    log,
    dayLine: createDayLine({
      ...core.world,
      ...core.disk,
      history,
      power: createPowerRecords(log.path),
      rest: oneTurn,
      isAlive: () => !isOver(),
    }),
    eventList: createEventList({
      ...core.world,
      ...core.secrets,
      history,
      audit: createAuditReader(path.join(core.dataDir, 'audit')),
      flushAudit: () => audit.flush(),
      sessionOfTurn: (turnId) => reads.turn(turnId)?.sessionId,
      rest: oneTurn,
      loadDescribe: () => import('../engine/history/describe'),
    }),
    doctor: {
      ...core.disk,
      version: core.version,
      settings: core.settings,
      hide: createReportHider({ own: core.compose.env, redactor: core.secrets.redactor }),
      ports: core.life.ports,
      facts: createDoctorFacts({
        ...core.world,
        dataDir: core.dataDir,
        browser: () => parts.browsers.find(),
      }),
      sleepGuard: () => sleepGuardWords(settings.get('shell.sleep_guard'), core.compose.env),
      isOver,
      present: () => present(core, parts),
    },
  });
}
