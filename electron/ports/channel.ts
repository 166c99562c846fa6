/** A message to a user, with an ID that is the same for every attempt. */
export interface Delivery {
  /** Stable: a channel that receives it twice shows it once (R12). */
  readonly deliveryId: string;
  readonly kind:
    'answer' | 'restart_notice' | 'missed' | 'question' | 'reminder' | 'digest' | 'test';
  /** The recipient; empty: the channel's default recipient. */
  readonly peer: string;
  readonly sessionKey: string;
  readonly text: string;
  /**
   * An earlier attempt may have arrived: the message starts with this sentence. Only for a channel
   * with `showsRepeats`.
   */
  readonly repeatNote?: string;
  /** The message that this one refers to, by the channel's name for it. */
  readonly aboutRef?: string;
  /**
   * For a channel that sends a long text in pieces: `there` pieces have arrived, the note concerns
   * the next one, and `took` is awaited before another one is sent.
   */
  readonly pieces?: { readonly there: number; took(pieces: number): Promise<void> };
}

/** The end of a scheduled turn. */
export interface TimedAnswer {
  readonly turnId: number;
  readonly sessionId: number;
  readonly agent: string;
  readonly isFailed: boolean;
  readonly by:
    | { readonly kind: 'task'; readonly taskId: number; readonly name: string }
    /** `wake`: a timer or heartbeat that was replaced by a later one. */
    | { readonly kind: 'timer' | 'heartbeat' | 'wake' };
  /** The user may have seen an earlier report of it. */
  readonly mayBeSecond: boolean;
}

/** For a channel whose answers may go unseen: answers of scheduled runs are reported, once. */
interface TimedAnswers {
  /**
   * True while the user wants no reports: answers wait until the caller that ends this state
   * fetches them.
   */
  isHeld(): boolean;
  /** Resolves when all of them were reported. If it rejects, none was. */
  tell(answers: readonly TimedAnswer[]): Promise<void>;
}

/** A message received through a channel. */
export interface InboundMessage {
  readonly peer: string;
  readonly text: string;
  /** Session by key; by default one session per channel and peer. */
  readonly session?: string;
  readonly agent?: string;
  /** Agent of a session that this message creates; an existing session keeps its agent. */
  readonly newAgent?: string;
  /** The other side's ID of the message: the same ID means the same turn. */
  readonly messageId?: string;
}

/** Anything that a channel receives, before it is known to be a message (S2-53). */
export interface InboundEvent extends Omit<InboundMessage, 'text'> {
  /** Absent: a message. */
  readonly event?: 'message' | 'edited' | 'reaction' | 'receipt' | 'typing' | 'sticker';
  readonly text?: string;
  /** Attachments: the agent gets their kind and name. */
  readonly media?: readonly {
    readonly kind: 'image' | 'audio' | 'video' | 'file';
    readonly name?: string;
  }[];
}

/** Text of a question's message, with the buttons below it in rows. */
export interface QuestionMessage {
  readonly text: string;
  readonly buttons: readonly (readonly {
    readonly label: string;
    /** At most 64 bytes; returned with the press. */
    readonly data: string;
  }[])[];
}

/** Location of a sent message: `ref` is the channel's own name for it. */
export interface MessagePlace {
  readonly peer: string;
  readonly ref: string;
}

/** Source of a button decision: `channel:phone:12345678`, the channel and the person. */
export type ChannelOrigin = `channel:${string}`;

/** A press of a button. Anyone may forge one, so `data` is checked like any input. */
export interface QuestionPress {
  /** The user by the channel's name for them, not the chat. */
  readonly person: string;
  readonly data: string;
}

/** The immediate reply to the person who pressed. */
export interface PressAnswer {
  /** At most 200 characters. */
  readonly note: string;
  /** New content of the message; absent: it stays, or changes with later events. */
  readonly message?: QuestionMessage;
  /**
   * A temporary error prevented the decision: the channel stores the press and submits it again
   * later, even after a restart. `note` has the reason, for channels that cannot.
   */
  readonly isNotTaken?: true;
}

/** A signed answer from a link, a topic or an email. Anyone may forge one. */
export interface SignedPress {
  readonly token: string;
  /** The sender, if the channel knows it: another person's token is rejected. */
  readonly person?: string;
}

export type SignedAnswer =
  /** Nothing was done. The sender learns no more than this sentence. */
  | { readonly kind: 'refused'; readonly note: string }
  | (PressAnswer & {
      readonly kind: 'taken';
      /** ID of the question, as passed to `ask`. */
      readonly id: string;
      /** It still needs a decision. */
      readonly isOpen: boolean;
      readonly person: string;
    });

/** Content of a question's page; viewing decides nothing. PH-03 */
export type ShownQuestion =
  /** The sender learns no more than this sentence. */
  | { readonly kind: 'refused'; readonly note: string }
  /** The outcome of the question. */
  | { readonly kind: 'closed'; readonly text: string }
  | {
      readonly kind: 'open';
      readonly person: string;
      readonly facts: readonly QuestionFact[];
      /** The exact input of the tool call, if it may be shown. */
      readonly input?: string;
      readonly buttons: QuestionMessage['buttons'];
      /** Why the question differs from when its link was sent. */
      readonly note?: string;
    };

/** One line about a question, such as the folder of a tool call. */
export interface QuestionFact {
  readonly label: string;
  readonly text: string;
}

/** A chat message that may be a command. */
export interface InboundCommand {
  /** The user who wrote it, not the chat. */
  readonly person: string;
  readonly text: string;
}

/** `send`: the text becomes a message of that session. */
export type CommandAnswer =
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'send'; readonly session: string; readonly text: string };

/** What may be asked and decided on a channel. */
export interface QuestionRules {
  /**
   * False while answers cannot reach this computer: no question is sent until then. Absent: they
   * always can.
   */
  readonly isHeard?: () => boolean;
  /** Commands and inputs of calls are sent too. */
  readonly showsInput: boolean;
  /** Only questions that have been open for a while are sent there. */
  readonly isEscalation?: true;
  /** Absent: no one can decide there. */
  readonly decide?: {
    readonly people: readonly string[];
    readonly calls: 'all' | 'local' | 'none';
    readonly agents: Readonly<Record<string, 'all' | 'local' | 'none'>>;
  };
}

/** A message that its channel asked for, and has to ask for again while it is not taken. */
export interface HeardMessage {
  /** The same for a message that comes again. */
  readonly id: string;
  /** For a person who looks at one that was set aside: as far as it is known by then. */
  about(): { readonly from?: string | undefined; readonly text?: string | undefined };
}

/**
 * Takes messages in. It resolves when the message is on disk: only then may it be acknowledged.
 * Implemented by engine/sessions/inbound.ts.
 */
export interface Intake {
  /**
   * Handles one message so that none blocks those behind it permanently. A message that is always
   * refused, or that has ended the process several times, is set aside where a person sees it;
   * `note` is the text for its sender. `later`: it could not be handled now and must come again.
   */
  each(
    message: HeardMessage,
    work: () => Promise<boolean>,
  ): Promise<
    { readonly kind: 'done' | 'later' } | { readonly kind: 'set_aside'; readonly note: string }
  >;
  accept(message: InboundMessage): Promise<{ readonly turnId: number }>;
  /** Accepts messages; any other event is counted as filtered and costs nothing. */
  offer(
    event: InboundEvent,
  ): Promise<
    | { readonly kind: 'accepted'; readonly turnId: number; readonly isRepeat: boolean }
    | { readonly kind: 'filtered'; readonly reason: string }
  >;
  /**
   * Handles a button press: its decision is on disk when this resolves, unless the answer says that
   * the press was not accepted. A repeated press finds the question decided.
   */
  press(press: QuestionPress): Promise<PressAnswer>;
  /** The same for an answer whose sender is identified only by its signature. */
  answer(signed: SignedPress): Promise<SignedAnswer>;
  /** The current question of a signed link. Decides nothing, whatever the link's answer is. */
  look(signed: SignedPress): Promise<ShownQuestion>;
  /** Undefined for text that is not a command there and goes to an agent. */
  command(command: InboundCommand): Promise<CommandAnswer | undefined>;
}

/**
 * A way to reach the user: the window, a chat, email. Enters through `compose()`.
 * Implemented by adapters/channels/configured-channel.ts and shell/windows/window-channel.ts.
 */
export interface Channel {
  readonly name: string;
  /** False: inbound only; its messages are answered on the default channel. */
  readonly speaks?: boolean;
  /**
   * True if a message that arrives twice is read twice, because the receiver ignores `deliveryId`:
   * each attempt is on disk before it is made, and a possible repeat is marked as one.
   */
  readonly showsRepeats?: boolean;
  /** False while it cannot deliver; the delivery waits or uses the next channel. */
  isReady(): boolean;
  /**
   * Resolves when the channel has accepted the message. If it rejects, the message was not
   * delivered; with CHANNEL_REFUSED it never will be and goes to the default channel. An error's
   * fact `retryAfterMs` is the wait that the other side requests; its fact `mayHaveArrived` means
   * that the outcome is unknown.
   */
  deliver(delivery: Delivery, signal: AbortSignal): Promise<void>;
  /** Absent: no questions are sent there. */
  readonly questions?: QuestionRules;
  /** Local time of its daily digest, which replaces single notices; absent: none. */
  readonly digestAt?: string;
  /**
   * Sends a question with buttons, like `deliver` sends an answer. Absent: the channel has no
   * buttons, and gets the question as a message.
   */
  ask?(
    question: QuestionMessage & {
      /** The same for every attempt. */
      readonly id: string;
      readonly inboxId: number;
      readonly peer: string;
      readonly repeatNote?: string;
    },
    signal: AbortSignal,
  ): Promise<MessagePlace>;
  /** Edits a message; repeating it changes nothing. CHANNEL_REFUSED: it is gone. */
  edit?(place: MessagePlace, message: QuestionMessage, signal: AbortSignal): Promise<void>;
  /** Only the window: answers are already there, but the user may not be looking. */
  readonly timed?: TimedAnswers;
  /** Called when intake opens, last in the start order. */
  start?(intake: Intake): void;
  /** Called first in the stop order; nothing may be accepted after it. */
  stop?(): void;
}
