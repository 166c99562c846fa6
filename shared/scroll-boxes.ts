/** Parts of a page that scroll by themselves and are brought back to where they were. */
export const SCROLL_BOXES = ['chat', 'list', 'pane', 'page'] as const;
export type ScrollBox = (typeof SCROLL_BOXES)[number];
