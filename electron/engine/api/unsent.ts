import type { UNSENT_VERBS } from '../../../shared/contract/unsent';
import type { UnsentTexts } from '../../ports/unsent';
import type { CrashPoints } from '../kernel/crash-points';
import type { Handlers } from './handlers';

interface UnsentDeps {
  readonly unsent: UnsentTexts;
  readonly crashPoints: CrashPoints;
}

/** Text that the user typed and did not send. Never written to log or audit. */
export function unsentHandlers(deps: UnsentDeps): Handlers<keyof typeof UNSENT_VERBS> {
  const { unsent, crashPoints } = deps;
  return {
    'unsent.read': ({ field }) => {
      const kept = unsent.read(field);
      return Promise.resolve(kept === undefined ? {} : { kept });
    },
    'unsent.keep': async ({ field, text, rev }) => {
      crashPoints.hit('unsent.keep.before');
      await unsent.keep(field, { text, rev });
      crashPoints.hit('unsent.keep.after');
      return { ok: true };
    },
  };
}
