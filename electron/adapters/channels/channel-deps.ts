import type { ChannelSettings, ChannelSettingsOf } from '../../../shared/settings/channels';
import type { Breaker } from '../../ports/breakers';
import type { Channel } from '../../ports/channel';
import type { Basics } from '../../engine/kernel/basics';
import type { OpenPush } from '../../ports/push';
import type { Environment } from '../shell/child-environment';

/** Dependencies of a channel of one kind. */
export interface ChannelDeps<K extends ChannelSettings['kind']> extends Pick<
  Basics,
  'clock' | 'log'
> {
  readonly name: string;
  readonly spec: ChannelSettingsOf<K>;
  readonly timeoutMs: number;
  readonly version: string;
  /** One breaker for both directions, because it is one service. */
  readonly breaker: () => Breaker;
  /** Undefined if none is stored and the settings name none. @throws SECRET_UNREADABLE */
  readonly secret: () => Promise<string | undefined>;
  readonly program: {
    /**
     * The program's environment: the basic variables and those of its settings, no other secret.
     */
    environment(declared: readonly string[], own: Environment): Promise<Environment>;
    /** Removes secrets from its last output. */
    hide(text: string): string;
  };
  readonly answers: {
    /** Signed content of a link or button for this person; valid for a limited time. */
    sign(this: void, person: string, data: string): Promise<string>;
    /**
     * The page on this computer that a signed link opens. @throws CHANNEL_DOWN while none is served
     */
    pageUrl(token: string): Promise<string>;
    /** Browsers that have subscribed. */
    readonly browsers: OpenPush;
  };
  /** Offset of the next update, on disk; absent if it was stored too long ago. */
  readonly offset: {
    read(): number | undefined;
    write(offset: number): Promise<void>;
  };
  /** A sender who is not in the settings wrote a message. */
  readonly onUnknownSender: (peer: string) => void;
}

/** Does nothing until it is used. */
export type CreateChannel<K extends ChannelSettings['kind']> = (
  deps: ChannelDeps<K>,
) => Pick<Channel, 'deliver' | 'ask' | 'edit' | 'start' | 'stop'>;
