import { describe, expect, it, vi } from 'vitest';
import { contextMenu } from '../../../electron/shell/windows/context-menu';

const editFlags = { canCut: false, canCopy: true, canPaste: true, canSelectAll: true };

describe('the menu of a right click', () => {
  it('offers Cut, Copy, Paste and Select All in a text field, as far as each can be done', () => {
    const items = contextMenu({ isEditable: true, selectionText: '', editFlags }, vi.fn());
    expect(items.map(({ role, enabled }) => [role, enabled])).toEqual([
      ['cut', false],
      ['copy', true],
      ['paste', true],
      [undefined, undefined],
      ['selectAll', true],
    ]);
  });

  it('offers Copy and Copy as Markdown for selected text, and asks the page for the Markdown', () => {
    const copy = vi.fn();
    const items = contextMenu({ isEditable: false, selectionText: 'a b', editFlags }, copy);
    expect(items.map(({ role, label }) => role ?? label)).toEqual(['copy', 'Copy as Markdown']);
    items[1]?.click?.(undefined as never, undefined, undefined as never);
    expect(copy).toHaveBeenCalledOnce();
  });

  it('shows no menu where nothing is selected and nothing can be typed', () => {
    expect(contextMenu({ isEditable: false, selectionText: ' ', editFlags }, vi.fn())).toEqual([]);
  });
});
