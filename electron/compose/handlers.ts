import path from 'node:path';
import { createDoctorFacts } from '../adapters/doctor/doctor-facts';
import { keyTarget } from '../adapters/providers/base-url';
import { createReportHider } from '../adapters/secrets/report-hider';
import { crashSoon } from '../adapters/instance/process-table';
import { createAuditReader } from '../adapters/log/audit-reader';
import { createPowerRecords } from '../adapters/log/power-records';
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
import { createCancel, createSummarize, turnHandlers } from '../engine/api/turns';
import { unsentHandlers } from '../engine/api/unsent';
import { createSessionEdits } from '../engine/sessions/edit-session';
import { createSessionErasure } from '../adapters/sqlite/erase-sessions';
import { createDayLine } from '../engine/history/day-line';
import { createEventList } from '../engine/history/event-list';
import type { Adoption } from '../engine/executors/program/adopt';
import { createCheckProvider } from '../engine/executors/llm/check-provider';
import { foreseeStart } from '../engine/recovery/recover-at-start';
import type { Decisions } from '../engine/recovery/decisions';
import type { Approvals } from '../engine/permissions/approvals';
import type { Present } from '../engine/status/doctor';
import { oneTurn } from '../read-in-slices';
import type { DraftsPart, Tools } from './tools';
import type { ComposeOptions } from './options';
import type { Rooms } from './rooms-type';
import type { LazySearch } from '../engine/search/lazy-search';
import type { Skills } from '../engine/skills/skills';
import { sleepGuardWords } from '../engine/shell-policy/guarded-tools';
import type { AgentFolders } from '../ports/agent-folders';
import type { Dependencies } from './dependencies';
import type { ExternalPart } from './executors';

/** What only verbs need, besides the rooms. */
interface HandlersDeps {
  readonly adoption: Adoption;
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

/** All that a family may answer from; each takes what its own dependencies name. */
const partsOf = (rooms: Omit<Rooms, 'verbs'>, own: HandlersDeps) => ({
  ...rooms.core,
  ...rooms.leftOpen,
  ...rooms.runners,
  ...rooms.intake,
  ...rooms.outbound,
  ...rooms.programs,
  gateway: rooms.gateway,
  hosts: rooms.hosts,
  status: rooms.status,
  ...own,
});
type Parts = ReturnType<typeof partsOf>;

/** Hands each family of verbs what it answers from. */
export function createHandlers(rooms: Omit<Rooms, 'verbs'>, own: HandlersDeps): Handlers {
  const { compose } = rooms.core;
  const parts = partsOf(rooms, own);
  const { share, drafts, outside, commands, tools, dependencies } = parts;
  const breakers = dependencies.breakers.registry;
  const isSharing = (): boolean => share.outlook() !== undefined;
  const summarize = createSummarize({ ...parts, isSharing });
  const cancel = createCancel(parts);
  const timeout = (ms: number): AbortSignal => AbortSignal.timeout(ms);
  const check = createCheckProvider({ ...parts, ...dependencies, breakers, timeout });
  return joinFamilies({
    turns: turnHandlers({ ...parts, summarize, cancel }),
    decisions: decisionHandlers({
      ...parts,
      changeOf: (request) => drafts.changeOf(request),
      summarize,
    }),
    drafts: draftHandlers({ ...parts, drafts: drafts.drafts }),
    sessions: sessionHandlers({ ...parts, ...sessionParts(parts, isSharing), summarize, cancel }),
    agents: agentHandlers({
      ...parts,
      work: parts,
      heartbeats: parts.schedule.heartbeats,
      programs: { ...outside, hook: (report) => commands.hook(report) },
      check,
      tools: tools.registry,
    }),
    providers: providerHandlers({
      ...parts,
      check,
      keyTarget,
      models: async () =>
        (await import('../adapters/providers/model-list')).createModelLists(parts),
    }),
    outage: outageHandlers({ ...parts, ...dependencies }),
    delivery: deliveryHandlers({ ...parts, breakers }),
    schedule: scheduleHandlers({
      ...parts,
      room: parts.schedule,
      sleepGuard: {
        isOn: tools.shell.isGuardOn,
        judge: async (command) =>
          (await import('../engine/shell-policy/sleep-guard')).judgeSleep(command),
      },
    }),
    skills: skillHandlers(parts),
    share: shareHandlers(parts),
    hosts: hostHandlers(parts),
    history: historyFamily(compose, parts),
    search: searchHandlers(parts.search),
    instance: instanceHandlers({
      ...parts,
      foresee: () => foreseeStart(parts),
      crash: crashSoon,
      desktop: compose.desktop,
    }),
    unsent: unsentHandlers(parts),
    updates: updateHandlers(parts),
  });
}

function sessionParts(parts: Parts, isSharing: () => boolean) {
  const { agents, workReads: work } = parts;
  return {
    work,
    environmentOf: (agent: string) => agents.environmentOf(agent),
    statusOf: { ...parts, work, drafts: parts.drafts.drafts, isSharing },
    acts: {
      edits: createSessionEdits({
        ...parts,
        schedule: parts.scheduleReads,
        erasure: createSessionErasure(parts.db, (entries) => parts.journal.commit(entries)),
        droppingWakes: (...given) => parts.wakes.dropping(...given),
        canFork: (agent) => agents.environmentOf(agent)?.executor === 'llm',
      }),
      adoption: parts.adoption,
    },
  };
}

/** Lines of the log in which the doctor looks for errors. */
const DOCTOR_LOG_LINES = 2000;

async function present({ desktop, mode, env }: ComposeOptions, parts: Parts): Promise<Present> {
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
    logLines: await parts.log.tail(DOCTOR_LOG_LINES),
  };
}

function historyFamily(compose: ComposeOptions, parts: Parts): Families['history'] {
  const { settings, reads, log, audit, dataDir } = parts;
  const history = createHistoryReads(parts.db);
  const isOver = (): boolean => parts.phase() === 'stopped';
  return historyHandlers({
    log,
    dayLine: createDayLine({
      ...parts,
      history,
      power: createPowerRecords(log.path),
      rest: oneTurn,
      isAlive: () => !isOver(),
    }),
    eventList: createEventList({
      ...parts,
      history,
      audit: createAuditReader(path.join(dataDir, 'audit')),
      flushAudit: () => audit.flush(),
      sessionOfTurn: (turnId) => reads.turn(turnId)?.sessionId,
      rest: oneTurn,
      loadDescribe: () => import('../engine/history/describe'),
    }),
    doctor: {
      ...parts,
      hide: createReportHider({ ...parts, own: compose.env }),
      facts: createDoctorFacts({ ...parts, browser: () => parts.browsers.find() }),
      sleepGuard: () => sleepGuardWords(settings.get('shell.sleep_guard'), compose.env),
      isOver,
      present: () => present(compose, parts),
    },
  });
}
