import { useWindowEvent } from '@mantine/hooks';
import { placeOfFocus } from './key-place';
import { isKey, type KeyId } from './keys-view';

/** A key that works from anywhere on its page, unless a field or a dialog has the focus. */
export function usePageKey(id: KeyId, onPress: () => void): void {
  useWindowEvent('keydown', (event) => {
    const place = placeOfFocus(event.target);
    if (event.defaultPrevented || place.isTyping || place.isInDialog) return;
    if (isKey(id, event)) onPress();
  });
}
