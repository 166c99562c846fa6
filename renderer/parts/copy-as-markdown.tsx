/** "Copy as Markdown" in the context menu: copies the selection with its structure. */
import { useEvent } from '../bridge';
import { selectionMarkdown } from './selection-markdown';

export function CopyAsMarkdown(): null {
  useEvent('copy.markdown', () => {
    const text = selectionMarkdown(window.getSelection());
    if (text !== '') void navigator.clipboard.writeText(text);
  });
  return null;
}
