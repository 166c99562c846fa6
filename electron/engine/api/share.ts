import type { VerbInput } from '../../../shared/contract';
import type { SHARE_VERBS } from '../../../shared/contract/share';
import type { TurnPlace } from '../../../shared/runs-on';
import type { WaitingView } from '../../../shared/types/share';
import type { JournalReads } from '../../ports/journal/reads';
import type { ReturnAct } from '../../ports/moved-files';
import { HoldfastError } from '../kernel/errors';
import type { Agents } from '../executors/agents';
import type { SharedWork } from '../sharing/shared-work';
import type { WaitingTurn } from '../sharing/waiting-turns';
import type { NewShared } from '../sharing/send-shared';
import type { Handlers } from './handlers';

interface ShareDeps {
  readonly share: SharedWork;
  readonly agents: Pick<Agents, 'defaultName' | 'placeOf'>;
  readonly reads: Pick<JournalReads, 'session' | 'sharedByUid'>;
}

/** Default lifetime of an invitation: a day. */
const INVITED_FOR_MS = 86_400_000;
const PRIORITY = { high: 0, normal: 1, low: 2 } as const;
/** Shown of a turn that has changed more. */
const MAX_FILES = 500;
const DONE = { ok: true } as const;

/** Where a turn may run: its own value, otherwise its agent's setting. @throws INPUT_INVALID */
function placeOf(
  ofAgent: TurnPlace,
  { needs, here, repository }: Pick<VerbInput<'share.send'>, 'needs' | 'here' | 'repository'>,
): Pick<NewShared, 'needs' | 'isHere' | 'isWithFiles'> {
  if (here === true && repository === true)
    throw new HoldfastError(
      'INPUT_INVALID',
      'A turn that runs only on this computer does not move files.',
      {
        hint: 'Nothing was sent. Use --here or --repository, not both.',
      },
    );
  const isSaid = needs !== undefined || here !== undefined || repository !== undefined;
  return isSaid
    ? { needs: needs ?? [], isHere: here ?? false, isWithFiles: repository ?? false }
    : ofAgent;
}

/** A session keeps its agent. @throws INPUT_INVALID */
function agentOf(
  { reads, agents }: Pick<ShareDeps, 'reads' | 'agents'>,
  { session, agent }: Pick<VerbInput<'share.send'>, 'session' | 'agent'>,
): string {
  const known = session === undefined ? undefined : reads.session({ key: session });
  if (known === undefined) return agent ?? agents.defaultName();
  if (agent === undefined || agent === known.agent) return known.agent;
  throw new HoldfastError(
    'INPUT_INVALID',
    `Session "${known.key}" belongs to the agent "${known.agent}".`,
    { hint: 'Nothing was sent. Omit the agent, or choose another session.' },
  );
}

/** @throws INPUT_INVALID */
function returnActOf(
  kind: ReturnAct['kind'],
  file: string | undefined,
  mayReplace: true | undefined,
): ReturnAct {
  if (kind === 'patch' && file !== undefined)
    return { kind, file, ...(mayReplace === undefined ? {} : { mayReplace }) };
  if (kind !== 'patch' && file === undefined && mayReplace === undefined) return { kind };
  throw new HoldfastError('INPUT_INVALID', 'Specify a file for a patch, and only for a patch.', {
    hint: 'Nothing was changed.',
  });
}

/** The store counts characters, and a character here may be two; a computer says of itself what it likes. */
const MAX_NAME = 64;
const textsOf = (texts: readonly string[], most: number): string[] =>
  texts.slice(0, most).map((one) => one.slice(0, 200));

const refusalViews = ({ refusals }: WaitingTurn): NonNullable<WaitingView['refusals']> =>
  refusals.slice(0, 100).map(({ machine, why }) => ({
    computer: machine.slice(0, MAX_NAME),
    why: why.slice(0, 500),
  }));

const strangersView = ({ strangers = [] }: WaitingTurn): Pick<WaitingView, 'strangers'> =>
  strangers.length === 0
    ? {}
    : { strangers: strangers.slice(0, 100).map((one) => one.slice(0, MAX_NAME)) };

/** This computer's turn with this ID in the store. */
function turnIdOf(
  reads: Pick<JournalReads, 'sharedByUid'>,
  uid: string,
): { readonly turnId?: number } {
  const known = reads.sharedByUid(uid);
  return known === undefined ? {} : { turnId: known.turnId };
}

/** Verbs of shared work. */
export function shareHandlers(deps: ShareDeps): Handlers<keyof typeof SHARE_VERBS> {
  const { share, agents, reads } = deps;
  return {
    'share.status': () => Promise.resolve(share.status()),
    'share.outlook': () => share.hostOutlook(),
    'machines.list': async () => {
      const [machines, waiting] = await Promise.all([share.machines(), share.waiting()]);
      return {
        machines: machines
          .slice(0, 1_000)
          .map(({ caps, isDraining, contactAgoMs, ...machine }) => ({
            ...machine,
            name: machine.name.slice(0, MAX_NAME),
            version: machine.version.slice(0, MAX_NAME),
            offers: textsOf(caps, 1_000),
            isStopping: isDraining,
            ...(contactAgoMs === undefined ? {} : { contactAgoMs }),
          })),
        waiting: waiting.map((row) => ({
          id: row.id,
          ...turnIdOf(reads, row.id),
          session: row.session.slice(0, 200),
          waitsMs: row.waitsMs,
          why: row.why.slice(0, 500),
          needs: textsOf(row.needs, 100),
          ...(row.place === '' ? {} : { place: row.place.slice(0, MAX_NAME) }),
          ...(row.isBehind ? { isBehind: true as const } : {}),
          ...strangersView(row),
          ...(row.refusals.length === 0 ? {} : { refusals: refusalViews(row) }),
        })),
      };
    },
    'share.send': async ({
      text,
      session,
      agent: wanted,
      priority = 'normal',
      needs,
      here,
      repository,
      messageId,
    }) => {
      const agent = agentOf(deps, { session, agent: wanted });
      const sent = await share.live().send({
        text,
        agent,
        session,
        priority: PRIORITY[priority],
        ...placeOf(agents.placeOf(agent), { needs, here, repository }),
        messageId,
      });
      return { turnId: sent.turn.id, sessionId: sent.session.id, sessionKey: sent.session.key };
    },
    'share.files': async ({ turnId, act = 'show', patchFile, mayReplace }, origin) => {
      // Windows may not choose file paths.
      if (origin === 'window' && act === 'patch')
        throw new HoldfastError('INPUT_INVALID', 'A window cannot write to a file by its path.', {
          hint: 'Nothing was changed.',
        });
      const { top, files, written, left, diff } = await share
        .live()
        .giveBack(turnId, returnActOf(act, patchFile, mayReplace));
      const shown = files.slice(0, MAX_FILES);
      return {
        turnId,
        folder: top,
        files: shown.map(({ path, lines, ...file }) => ({
          ...file,
          path: path.slice(0, 4_096),
          ...lines,
        })),
        more: files.length - shown.length,
        inFolder: files.filter(({ stand }) => stand === 'done').length,
        written,
        ...(diff === undefined ? {} : { diff }),
        ...(left === undefined
          ? {}
          : { left: { machine: left.machine, why: left.why.slice(0, 500) } }),
      };
    },
    'share.host': async ({ address, listen, fetch = false }) => {
      if (address !== undefined && fetch)
        throw new HoldfastError(
          'INPUT_INVALID',
          '--fetch cannot be combined with a server address.',
          {
            hint: 'Nothing was changed. Specify the address, or let Holdfast fetch PostgreSQL.',
          },
        );
      if (address !== undefined && listen !== undefined)
        throw new HoldfastError(
          'INPUT_INVALID',
          '--listen cannot be combined with a server address.',
          {
            hint: 'Nothing was changed. Specify the address of a server, or --listen for one that Holdfast runs.',
          },
        );
      await share.host({ address, listen, mayFetch: fetch });
      return share.status();
    },
    'share.invite': async ({ name, forMs = INVITED_FOR_MS }) => share.invite(name, forMs),
    'share.join': async ({ invitation }) => {
      await share.join(invitation);
      return share.status();
    },
    'share.leave': async () => {
      await share.leave();
      return share.status();
    },
    'share.admit': async ({ name }) => {
      await share.admit(name);
      return DONE;
    },
    'share.revoke': async ({ name }) => {
      await share.revoke(name);
      return DONE;
    },
    'share.acceptLoss': async () => {
      await share.acceptLoss();
      return DONE;
    },
    'share.release': async ({ id }) => {
      if (await share.release(id)) return DONE;
      throw new HoldfastError(
        'TURN_STATE',
        'This turn is not for one computer only, or has ended.',
        {
          hint: 'Nothing was changed. See "holdfast machines list".',
        },
      );
    },
  };
}
