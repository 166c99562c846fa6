import type { Channel } from '../../ports/channel';

/** The target of an answer. */
export type Route =
  | { readonly kind: 'own'; readonly channel: Channel }
  /** Not to the requesting channel; `why` goes out with the answer. */
  | { readonly kind: 'default'; readonly channel: Channel; readonly why: RouteReason }
  /**
   * The window shows every session, so the answer is already there; a note names its original
   * target.
   */
  | { readonly kind: 'window'; readonly why: RouteReason };

/** Why an answer does not go to the requesting channel. */
type RouteReason = 'gone' | 'listens_only' | 'refused';

/**
 * Routes an answer to the requesting channel, however long that channel is down. The default
 * channel gets it only if the requesting channel was removed, cannot send, or will never accept it.
 * Pure. S1-02, R8.
 */
export function planRoute(
  asked: string,
  world: {
    readonly channels: readonly Channel[];
    readonly defaultName: string;
    /** The channel will never accept this answer. */
    readonly isRefused: boolean;
  },
): Route {
  const speaks = (channel: Channel): boolean => channel.speaks !== false;
  const own = world.channels.find((channel) => channel.name === asked);
  if (own !== undefined && speaks(own) && !world.isRefused) return { kind: 'own', channel: own };
  const why: RouteReason = own === undefined ? 'gone' : speaks(own) ? 'refused' : 'listens_only';
  const other = world.channels.find(
    (channel) => channel.name === world.defaultName && channel !== own && speaks(channel),
  );
  return other === undefined || other.name === 'window'
    ? { kind: 'window', why }
    : { kind: 'default', channel: other, why };
}

const WHY: Readonly<Record<RouteReason, string>> = {
  gone: 'which is no longer in the settings',
  listens_only: 'which is inbound only',
  refused: 'which rejected it',
};

/** The note with an answer that is sent elsewhere, in one sentence. */
export function routeNote(asked: string, peer: string, why: RouteReason): string {
  const whom = peer === '' ? '' : ` by ${peer}`;
  return `This was asked${whom} on the channel "${asked}", ${WHY[why]}.`;
}
