/** Parts of a page that scroll on their own and whose position is restored. */
export const SCROLL_BOXES = ['chat', 'list', 'pane', 'page'] as const;
export type ScrollBox = (typeof SCROLL_BOXES)[number];
