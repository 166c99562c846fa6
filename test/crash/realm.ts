import type { HostCommand } from './hosts/engine-life';
import type { Verb, VerbInput, VerbOutput } from '../../shared/contract';

/** A data directory, what the world sees of it, and everything that was acknowledged. */
export interface Realm {
  readonly root: string;
  readonly dataDir: string;
  readonly outside: string;
  readonly workspace: string;
  /** Turns whose acceptance was acknowledged, with their message. */
  readonly acked: Map<number, string>;
  /** Points at which a process of this realm was killed. */
  readonly killedAt: string[];
  remove(): void;
}

/** One process from its start to its end. */
export interface Life {
  readonly pid: number;
  /** Resolves with the exit: `SIGKILL`, or the code as text. */
  readonly ended: Promise<string>;
  readonly lines: readonly HostLine[];
  /** The next or an earlier line that fits; rejects when the process ends without one. */
  line(fits: (line: HostLine) => boolean): Promise<HostLine>;
  ready(): Promise<HostLine>;
  /** Sends and waits for the answer; undefined when the process died before it answered. */
  ask(command: Unnumbered<HostCommand>): Promise<HostLine | undefined>;
  /** The same for a call that has to succeed. */
  call<V extends Verb>(verb: V, input: VerbInput<V>): Promise<VerbOutput<V>>;
  accept(text: string, to?: { readonly channel: string; readonly peer: string }): Promise<number>;
  stalled(name: string): Promise<void>;
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** A line of the host. */
export type HostLine = Readonly<Record<string, unknown>>;

/** Distributes over the commands, so that each keeps its own fields. */
type Unnumbered<C> = C extends HostCommand ? Omit<C, 'id'> : never;
