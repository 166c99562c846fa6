/** The scroll area of a conversation: it follows new content until the user scrolls up. */
import { Button } from '@mantine/core';
import { ArrowDown } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { t } from '../../shared/messages';

interface Follow {
  readonly setBox: (element: HTMLElement | null) => void;
  /** The list inside, which grows. */
  readonly setList: (element: HTMLElement | null) => void;
  readonly isFollowing: boolean;
  readonly onScroll: () => void;
  readonly follow: () => void;
}

/** Follows the end of the chat, even while it grows, until the user scrolls up. */
export function useFollow(): Follow {
  // State instead of a ref, so that following starts when the chat appears after loading.
  const [box, setBox] = useState<HTMLElement | null>(null);
  const [list, setList] = useState<HTMLElement | null>(null);
  const lastTop = useRef(0);
  const [isFollowing, setFollowing] = useState(true);
  useEffect(() => {
    if (!isFollowing || !list || !box) return undefined;
    const toEnd = (): void => box.scrollTo({ top: box.scrollHeight });
    toEnd();
    const watch = new ResizeObserver(toEnd);
    watch.observe(list);
    watch.observe(box);
    return () => watch.disconnect();
  }, [isFollowing, list, box]);
  const onScroll = useCallback(() => {
    if (!box) return;
    const isUp = box.scrollTop < lastTop.current - 2;
    const isAtEnd = box.scrollHeight - box.scrollTop - box.clientHeight < 48;
    lastTop.current = box.scrollTop;
    // New content does not move the view up: only the user scrolls up.
    if (isAtEnd) setFollowing(true);
    else if (isUp) setFollowing(false);
  }, [box]);
  const follow = useCallback(() => setFollowing(true), []);
  return { setBox, setList, isFollowing, onScroll, follow };
}

export const ChatBox = ({
  follow,
  onOlder,
  children,
}: {
  follow: Follow;
  /** Undefined: the whole conversation is loaded. */
  onOlder: (() => void) | undefined;
  children: ReactNode;
}): ReactElement => (
  <>
    <div
      className="chat"
      ref={follow.setBox}
      onScroll={follow.onScroll}
      tabIndex={0}
      role="region"
      aria-label={t('chat.label')}
    >
      {onOlder === undefined ? null : (
        <Button size="xs" variant="subtle" onClick={onOlder}>
          {t('chat.older')}
        </Button>
      )}
      {children}
    </div>
    {follow.isFollowing ? null : (
      <Button
        className="chat-follow"
        size="xs"
        onClick={follow.follow}
        leftSection={<ArrowDown className="icon small" />}
      >
        {t('chat.follow')}
      </Button>
    )}
  </>
);
