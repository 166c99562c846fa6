import type {
  EventName,
  EventPayload,
  Verb,
  VerbInput,
  VerbOutput,
} from '../../../shared/contract';
import type { ChannelOrigin } from '../../ports/channel';
import type { StatusSnapshot } from '../../../shared/types';

/** The caller: decides which verbs are allowed and is recorded in the audit. */
export type CallOrigin = 'window' | 'control' | 'cli' | 'tray' | 'test' | ChannelOrigin;

/**
 * The facade of the engine: the single entry for IPC, control socket, CLI, tray and tests.
 *
 * `call` validates input and output against the contract. A command returns after its effect is
 * committed. Implemented by engine/api/create-facade.ts. @throws HoldfastError
 */
export interface Holdfast {
  call<V extends Verb>(verb: V, input: VerbInput<V>, origin: CallOrigin): Promise<VerbOutput<V>>;
  /** The current snapshot; cheap, synchronous. */
  status(): StatusSnapshot;
  /** Events after their commit (the one exception is `turn.delta`, which is provisional). */
  on<E extends EventName>(event: E, listener: (payload: EventPayload<E>) => void): () => void;
}
