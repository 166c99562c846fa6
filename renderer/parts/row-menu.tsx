/** A menu at a position in the page: below its button, at the pointer, or at the focused row. */
import { Menu } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';

export interface MenuPlace {
  readonly x: number;
  readonly y: number;
}

/** Position of a row's menu opened by a key: below the start of the focused element. */
export const placeBelow = (element: Element): MenuPlace => {
  const box = element.getBoundingClientRect();
  return { x: box.left, y: box.bottom };
};

export function RowMenu({
  place,
  label,
  onClose,
  children,
}: {
  /** Undefined: closed. */
  place: MenuPlace | undefined;
  label: string;
  onClose: () => void;
  children: ReactNode;
}): ReactElement {
  return (
    <Menu
      opened={place !== undefined}
      onClose={onClose}
      position="bottom-start"
      withinPortal
      returnFocus
      withInitialFocusPlaceholder={false}
      loop
    >
      <Menu.Target>
        <span
          className="menu-place"
          style={{ insetInlineStart: place?.x ?? 0, insetBlockStart: place?.y ?? 0 }}
        />
      </Menu.Target>
      <Menu.Dropdown aria-label={label}>{children}</Menu.Dropdown>
    </Menu>
  );
}
