import { turnTitle } from '../../../shared/turn-title';
import { HoldfastError } from '../kernel/errors';

/** Controls, ends of lines and changes of direction: such a name cannot be typed as it is shown. */
const UNTYPED = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** For new sessions: earlier ones keep their names. @throws INPUT_INVALID */
export function needTypedName(name: string): void {
  if (UNTYPED.test(name))
    throw new HoldfastError(
      'INPUT_INVALID',
      'The name of a session cannot contain a tab, a line break or another control character.',
      { hint: 'Nothing was accepted. Choose another name.' },
    );
}

/** A key derived from a message is not a name: the session is titled by the message's text. */
export function titleOf(key: string, text = ''): string {
  if (key === 'main') return 'Main';
  return (/^shared-[\da-f]{12}$/.test(key) && turnTitle(text)) || key;
}
