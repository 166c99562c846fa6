/** "Copy as Markdown" of the context menu: what is selected in the page, with its structure. */
import { useEvent } from '../bridge';
import { selectionMarkdown } from './selection-markdown';

export function CopyAsMarkdown(): null {
  useEvent('copy.markdown', () => {
    const text = selectionMarkdown(window.getSelection());
    if (text !== '') void navigator.clipboard.writeText(text);
  });
  return null;
}
