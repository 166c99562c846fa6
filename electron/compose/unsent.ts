import type { Handlers } from '../engine/api/handlers';
import type { CrashPoints } from '../engine/kernel/crash-points';
import type { UnsentTexts } from '../ports/unsent';

/** Text that a person has typed and not sent. Neither log nor audit ever says it. */
export function createUnsentVerbs(
  texts: UnsentTexts,
  crashPoints: CrashPoints,
): Handlers<'unsent.read' | 'unsent.keep'> {
  return {
    'unsent.read': ({ field }) => {
      const kept = texts.read(field);
      return Promise.resolve(kept === undefined ? {} : { kept });
    },
    'unsent.keep': async ({ field, text, rev }) => {
      crashPoints.hit('unsent.keep.before');
      await texts.keep(field, { text, rev });
      crashPoints.hit('unsent.keep.after');
      return { ok: true };
    },
  };
}
