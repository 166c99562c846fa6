import type { Drafts } from '../drafts/drafts';
import type { SessionsRoom } from '../sessions/intake';
import type { Families } from './handlers';

interface DraftsDeps {
  readonly drafts: Drafts;
  readonly sessions: Pick<SessionsRoom, 'find'>;
}

/** Files that agents wrote as drafts, and the user's decisions about them. */
export function draftHandlers({ drafts, sessions }: DraftsDeps): Families['drafts'] {
  return {
    'drafts.list': async ({ session, decided = false, limit = 200 }) => ({
      drafts: [
        ...(await drafts.list({
          decided,
          limit,
          ...(session === undefined ? {} : { sessionId: sessions.find(session).id }),
        })),
      ],
    }),
    'drafts.diff': ({ draftId }) => drafts.diff(draftId),
    'drafts.promote': ({ draftId, requestHash, overChanged = false, hunks }, origin) =>
      drafts.apply({ draftId, requestHash, hunks }, { overChanged, by: origin }),
    'drafts.restore': (choice, origin) => drafts.restore(choice, origin),
    'drafts.discard': ({ draftId, requestHash, hunks }, origin) =>
      drafts.discard({ draftId, requestHash, hunks }, origin),
  };
}
