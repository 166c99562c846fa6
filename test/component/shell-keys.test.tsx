// @vitest-environment happy-dom
/** Keys that work everywhere, beside a dialog that listens earlier. */
import { cleanup, render } from '@testing-library/react';
import { useEffect, useState, type ReactElement } from 'react';
import { flushSync } from 'react-dom';
import { afterEach, expect, it } from 'vitest';
import { useShellKeys } from '../../renderer/keys/shell-keys';

afterEach(cleanup);

/** A dialog as the library's: it closes before the key reaches the window, and may not be drawn yet. */
function Page({ onBack }: { onBack: () => void }): ReactElement | null {
  const [isOpen, setOpen] = useState(false);
  useShellKeys((act) => {
    if (act.kind === 'help') setOpen(true);
    else if (act.kind === 'back' && !isOpen) onBack();
    return true;
  });
  useEffect(() => {
    if (!isOpen) return undefined;
    const close = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') flushSync(() => setOpen(false));
    };
    window.addEventListener('keydown', close, { capture: true });
    return () => window.removeEventListener('keydown', close, { capture: true });
  }, [isOpen]);
  return null;
}

const press = (key: string): void => {
  flushSync(() => {
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  });
};

it('Esc that closes a dialog which is not drawn yet leaves the page where it is; the next one goes back', () => {
  let backs = 0;
  render(<Page onBack={() => (backs += 1)} />);
  press('?');
  press('Escape');
  expect(backs).toBe(0);
  press('Escape');
  expect(backs).toBe(1);
});
