/** The menu of a right click: what can be done with the text there, and nothing else. Pure. */
import type { ContextMenuParams, MenuItemConstructorOptions } from 'electron';
import { say } from '../say';

type Clicked = Pick<ContextMenuParams, 'isEditable' | 'selectionText'> & {
  readonly editFlags: Pick<
    ContextMenuParams['editFlags'],
    'canCut' | 'canCopy' | 'canPaste' | 'canSelectAll'
  >;
};

/** Empty if a right click there offers nothing. */
export function contextMenu(
  { isEditable, selectionText, editFlags }: Clicked,
  onCopyMarkdown: () => void,
): MenuItemConstructorOptions[] {
  if (isEditable)
    return [
      { role: 'cut', enabled: editFlags.canCut },
      { role: 'copy', enabled: editFlags.canCopy },
      { role: 'paste', enabled: editFlags.canPaste },
      { type: 'separator' },
      { role: 'selectAll', enabled: editFlags.canSelectAll },
    ];
  if (selectionText.trim() === '') return [];
  return [
    { role: 'copy', enabled: editFlags.canCopy },
    { label: say('menu.copyMarkdown'), click: () => onCopyMarkdown() },
  ];
}
