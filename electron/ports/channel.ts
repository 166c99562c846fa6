/** A message to a person, with an id that is the same for every attempt. */
export interface Delivery {
  /** Stable: a channel that sees it twice shows it once (R12). */
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
  /** The message that this one is about, as the channel named it. */
  readonly aboutRef?: string;
  /**
   * For a channel that sends a long text in pieces: `there` pieces have arrived, the note is about
   * the next one, and `took` is awaited before another one is sent.
   */
  readonly pieces?: { readonly there: number; took(pieces: number): Promise<void> };
}

/** The end of a turn that time made. */
export interface TimedAnswer {
  readonly turnId: number;
  readonly sessionId: number;
  readonly agent: string;
  readonly isFailed: boolean;
  readonly by:
    | { readonly kind: 'task'; readonly taskId: number; readonly name: string }
    /** `wake`: a timer or a heartbeat, of which later ones have taken the place. */
    | { readonly kind: 'timer' | 'heartbeat' | 'wake' };
  /** An earlier attempt to report it may have been seen. */
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

/** A message that came in through a channel. */
export interface InboundMessage {
  readonly peer: string;
  readonly text: string;
  /** Session by key; by default one session per channel and peer. */
  readonly session?: string;
  readonly agent?: string;
  /** Agent of a conversation that starts with this message; an existing one keeps its own. */
  readonly newAgent?: string;
  /** As the other side names it: the same message again is the same turn. */
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

/** What a message with a question says, and the buttons below it, in rows. */
export interface QuestionMessage {
  readonly text: string;
  readonly buttons: readonly (readonly {
    readonly label: string;
    /** At most 64 bytes; comes back with the press. */
    readonly data: string;
  }[])[];
}

/** Where a sent message is: `ref` is the channel's own name for it. */
export interface MessagePlace {
  readonly peer: string;
  readonly ref: string;
}

/** Who decided with a button: `channel:phone:12345678`, the channel and the person. */
export type ChannelOrigin = `channel:${string}`;

/** A press of a button. Anyone may forge one, so `data` is checked like any input. */
export interface QuestionPress {
  /** The user, by the channel's name for them: not the chat. */
  readonly person: string;
  readonly data: string;
}

/** What the person who pressed learns at once. */
export interface PressAnswer {
  /** At most 200 characters. */
  readonly note: string;
  /** The message says this now; absent: it stays, or changes with what happens. */
  readonly message?: QuestionMessage;
  /**
   * Nothing was decided, for a reason that passes: the channel keeps the press and hands it in again
   * later, even after a restart. `note` says why, for channels that cannot.
   */
  readonly isNotTaken?: true;
}

/** A signed answer that came over a link, a topic or a letter. Anybody may forge one. */
export interface SignedPress {
  readonly token: string;
  /** The sender, if the channel knows it: a token of another person is rejected. */
  readonly person?: string;
}

export type SignedAnswer =
  /** Nothing was done. Who sent it learns no more than this sentence. */
  | { readonly kind: 'refused'; readonly note: string }
  | (PressAnswer & {
      readonly kind: 'taken';
      /** Of the question, as `ask` got it. */
      readonly id: string;
      /** It still needs a decision. */
      readonly isOpen: boolean;
      readonly person: string;
    });

/** What a page shows about a question; looking decides nothing. PH-03 */
export type ShownQuestion =
  /** Who sent it learns no more than this sentence. */
  | { readonly kind: 'refused'; readonly note: string }
  /** What became of it. */
  | { readonly kind: 'closed'; readonly text: string }
  | {
      readonly kind: 'open';
      readonly person: string;
      readonly facts: readonly QuestionFact[];
      /** The exact input of the tool call, where it may be shown. */
      readonly input?: string;
      readonly buttons: QuestionMessage['buttons'];
      /** Why the question looks different from when its link was sent. */
      readonly note?: string;
    };

/** One line about a question, such as the folder that a tool call runs in. */
export interface QuestionFact {
  readonly label: string;
  readonly text: string;
}

/** A message of a chat that may be a command. */
export interface InboundCommand {
  /** The user who wrote it: not the chat. */
  readonly person: string;
  readonly text: string;
}

/** `send`: the text becomes a message of that session. */
export type CommandAnswer =
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'send'; readonly session: string; readonly text: string };

/** What may be asked and decided on a channel. */
export interface QuestionRules {
  /** False while answers cannot reach this computer: nothing is asked before. Absent: they always can. */
  readonly isHeard?: () => boolean;
  /** Commands and inputs of calls are sent along. */
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

/** Takes messages in. It resolves when the message is on disk: only then may it be acknowledged. */
export interface Intake {
  /**
   * Works on one message, so that none holds up those behind it for ever: what is refused for good, or
   * has ended the process several times, is set aside where a person sees it, and `note` tells who wrote
   * it. `later`: `work` was false or refused for a reason that passes, and the message is to come again.
   */
  each(
    message: HeardMessage,
    work: () => Promise<boolean>,
  ): Promise<
    { readonly kind: 'done' | 'later' } | { readonly kind: 'set_aside'; readonly note: string }
  >;
  accept(message: InboundMessage): Promise<{ readonly turnId: number }>;
  /** Takes in what is a message; everything else is counted as filtered and costs nothing. */
  offer(
    event: InboundEvent,
  ): Promise<
    | { readonly kind: 'accepted'; readonly turnId: number; readonly isRepeat: boolean }
    | { readonly kind: 'filtered'; readonly reason: string }
  >;
  /**
   * Takes the press of a button: what it decided is on disk when this resolves, unless the answer
   * says that it was not taken. The same press again finds the question decided.
   */
  press(press: QuestionPress): Promise<PressAnswer>;
  /** The same for an answer whose sender is known by its signature alone. */
  answer(signed: SignedPress): Promise<SignedAnswer>;
  /** What the question of a signed link says now. Whatever the link answers, nothing is decided. */
  look(signed: SignedPress): Promise<ShownQuestion>;
  /** Undefined for what is no command there, and goes to an agent. */
  command(command: InboundCommand): Promise<CommandAnswer | undefined>;
}

/** A way to reach a person: the window, a chat, mail. Enters through `compose()`. */
export interface Channel {
  readonly name: string;
  /** False: inbound only; its messages are answered on the default channel. */
  readonly speaks?: boolean;
  /**
   * True if a message that arrives twice is read twice, because the receiver ignores `deliveryId`:
   * each attempt is on disk before it is made, and a possible repeat is marked as one.
   */
  readonly showsRepeats?: boolean;
  /** False while it cannot deliver; the delivery waits or takes the next channel. */
  isReady(): boolean;
  /**
   * Resolves when the channel has accepted the message. If it rejects, the message was not
   * delivered. With CHANNEL_REFUSED it never will be and goes to the default channel. The fact
   * `retryAfterMs` of an error is the wait that the other side asks for; its fact `mayHaveArrived`
   * says that the outcome is unknown.
   */
  deliver(delivery: Delivery, signal: AbortSignal): Promise<void>;
  /** Absent: no questions are sent there. */
  readonly questions?: QuestionRules;
  /** Local time of its daily digest, in place of single notices; absent: none. */
  readonly digestAt?: string;
  /**
   * Sends a question with buttons, as `deliver` sends an answer. Absent: the channel has no
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
  /** Changes a message; the same again changes nothing. CHANNEL_REFUSED: it is gone. */
  edit?(place: MessagePlace, message: QuestionMessage, signal: AbortSignal): Promise<void>;
  /** Only the window: answers are already there, but the user may not be looking. */
  readonly timed?: TimedAnswers;
  /** Called when intake opens, last in the start order. */
  start?(intake: Intake): void;
  /** Called first of all in the stop order; nothing may be accepted after it. */
  stop?(): void;
}
