/**
 * What a person reads for each error code, used if the error has no better sentence of its own:
 * what happened and what is safe, then the next step. The table is total: a code without a line
 * does not compile.
 */
import type { ErrorCode } from './error-codes';
import { isErrorCode } from './error-codes';

/** Two sentences for people. */
interface ErrorMessage {
  /** What happened, and what is safe. */
  readonly sentence: string;
  /** What to do next. */
  readonly next: string;
}

/** The catalogue of errors. Rows: S2-30. */
export const ERROR_MESSAGES: Readonly<Record<ErrorCode, ErrorMessage>> = {
  INPUT_INVALID: {
    sentence: 'The request has a value that Holdfast cannot use. Nothing was changed.',
    next: 'Correct the value that is named and try again.',
  },
  VERB_UNKNOWN: {
    sentence: 'This version of Holdfast has no such command. Nothing was changed.',
    next: 'Use the same version of the window or command line as the running Holdfast.',
  },
  SENDER_REFUSED: {
    sentence: 'A request came from a page that is not a Holdfast window, and was refused.',
    next: 'If you did this yourself, use the Holdfast window or the command line.',
  },
  RATE_LIMITED: {
    sentence: 'Too many requests came at once; this one was not carried out.',
    next: 'Wait a second and try again.',
  },
  REQUEST_STALE: {
    sentence: 'What you decided on has changed since it was shown to you. Nothing was done.',
    next: 'Look at it again and decide anew.',
  },
  OUTAGE_QUEUE_FULL: {
    sentence:
      'Too many turns wait for a provider that does not answer; this one was not accepted. What waits is kept.',
    next: 'Send it again when the provider answers, or raise limits.max_waiting_turns.',
  },
  REQUEST_UNKNOWN: {
    sentence: 'There is no such request. Nothing was changed.',
    next: 'Look at what waits for you and answer one of these.',
  },
  REQUEST_ANSWERED: {
    sentence: 'This request has its answer already. Nothing was changed.',
    next: 'Look at the turn to see what came of it.',
  },
  NOT_RUNNING: {
    sentence: 'Holdfast is not running. Everything it accepted is on disk.',
    next: 'Start it with "holdfast start".',
  },
  STARTING: {
    sentence: 'Holdfast is still starting. Nothing was changed.',
    next: 'Try again in a few seconds.',
  },
  STOPPING: {
    sentence: 'Holdfast is stopping and takes no new work. What it accepted is on disk.',
    next: 'Start it again, then repeat the request.',
  },
  INTERNAL: {
    sentence: 'Something went wrong inside Holdfast. What was accepted before is still on disk.',
    next: 'Look at "holdfast logs" for the details, and run "holdfast doctor".',
  },
  DATA_DIR_UNUSABLE: {
    sentence: 'The data folder cannot be used. Nothing in it was changed.',
    next: 'Check that the folder exists and that you may write to it, or name another with --data-dir.',
  },
  DATA_DIR_UNSAFE: {
    sentence:
      'Another account can change the data folder, or has put something into it, so nothing in it is used.',
    next: 'Look at what is in it before you trust it. Then make it your own with "chmod 700" and "chown", and start again.',
  },
  DATABASE_NEWER: {
    sentence: 'The database was written by a newer version of Holdfast. It was not touched.',
    next: 'Install that version, or a newer one.',
  },
  DATABASE_UNKNOWN: {
    sentence: 'The file in the place of the database is not one of Holdfast. It was not touched.',
    next: 'Move the file away or name another folder with --data-dir.',
  },
  DATABASE_MISSING: {
    sentence: 'There is no Holdfast data in this folder yet.',
    next: 'Name another folder with --data-dir, or start Holdfast once.',
  },
  DATABASE_CORRUPT: {
    sentence: 'The database is damaged. It was left as it is.',
    next: 'Run "holdfast doctor"; backups are in the folder "backups" of the data folder.',
  },
  DATABASE_BUSY: {
    sentence: 'Another program holds the database. Nothing was changed.',
    next: 'Close the other program and try again.',
  },
  DISK_FULL: {
    sentence: 'The disk is full, so new work is refused. What was accepted before is safe.',
    next: 'Free some space; Holdfast goes on by itself.',
  },
  DISK_READ_ONLY: {
    sentence: 'The data folder is read-only, so new work is refused. What was accepted is safe.',
    next: 'Make the folder writable again; Holdfast goes on by itself.',
  },
  DISK_FAILED: {
    sentence: 'The disk reports an error, so new work is refused. What was accepted is safe.',
    next: 'It is tried again by itself. If it stays, check the disk, then run "holdfast doctor --full".',
  },
  NATIVE_MODULE_UNUSABLE: {
    sentence: 'The database module does not fit this version of Node or Electron.',
    next: 'Run "npm run setup" in the checkout, or install Holdfast again. Your data is untouched.',
  },
  LOCK_HELD: {
    sentence: 'Another Holdfast works on this data folder. This one did not start.',
    next: 'Use the running one, stop it with "holdfast stop", or start with --takeover.',
  },
  LOCK_OTHER_HOST: {
    sentence: 'The data folder was last used on another computer, which may still use it.',
    next: 'Stop Holdfast there, then start with --takeover.',
  },
  LOCK_OTHER_USER: {
    sentence: 'A Holdfast of another user works on this data folder. It was left alone.',
    next: 'Ask that user to stop it, or name your own folder with --data-dir.',
  },
  LOCK_UNKILLABLE: {
    sentence: 'The Holdfast that holds this data folder does not end. Nothing was changed.',
    next: 'End that process yourself or restart the computer, then start again.',
  },
  LOCK_FILESYSTEM: {
    sentence: 'The file system of the data folder cannot lock files, so starting is not safe.',
    next: 'Use a folder on a local disk with --data-dir.',
  },
  LEASE_LOST: {
    sentence:
      'A run of a turn was overtaken by another one. It wrote nothing and did nothing more.',
    next: 'Nothing is to be done: the turn went on in the other run.',
  },
  LOCK_LOST: {
    sentence: 'Holdfast lost its hold on the data folder and stopped, so that nothing runs twice.',
    next: 'Start it again; turns that were cut off are recovered.',
  },
  TURN_UNKNOWN: {
    sentence: 'There is no turn with this number.',
    next: 'See the turns with "holdfast turns list".',
  },
  TURN_STATE: {
    sentence: 'The turn is not in a state in which this can be done. Nothing was changed.',
    next: 'Look at the turn again with "holdfast turns show".',
  },
  RUN_UNKNOWN: {
    sentence: 'There is no run of a skill with this number. Nothing was changed.',
    next: 'See the runs with "holdfast runs list".',
  },
  RUN_STATE: {
    sentence: 'The run has ended meanwhile. Nothing was changed.',
    next: 'Look at it with "holdfast runs show".',
  },
  SKILL_UNKNOWN: {
    sentence: 'There is no skill of this name that can run. Nothing was started.',
    next: 'See the skills with "holdfast skills list".',
  },
  STEP_UNKNOWN: {
    sentence: 'The turn has no step with this number.',
    next: 'See its steps with "holdfast turns show".',
  },
  STEP_STATE: {
    sentence: 'The step is not waiting for this answer any more. Nothing was changed.',
    next: 'Look at the turn again with "holdfast turns show".',
  },
  SESSION_UNKNOWN: {
    sentence: 'There is no session with this name.',
    next: 'See the sessions with "holdfast session list".',
  },
  SESSION_EXISTS: {
    sentence: 'A session with this name exists already. It was left as it is.',
    next: 'Choose another name, or go on in the existing session.',
  },
  CONVERSATION_UNKNOWN: {
    sentence:
      'The agent has no such conversation that Holdfast could go on with. Nothing was changed.',
    next: 'List them with "holdfast session adopt AGENT".',
  },
  CONVERSATION_BUSY: {
    sentence: 'Somebody else has this conversation. It was left as it is.',
    next: 'End it there first: a conversation goes on in one place at a time.',
  },
  AGENT_UNKNOWN: {
    sentence: 'There is no agent with this name.',
    next: 'See the agents with "holdfast agents list".',
  },
  AGENT_EXISTS: {
    sentence: 'An agent with this name exists already. It was left as it is.',
    next: 'Choose another name, or change the existing agent.',
  },
  AGENT_BUSY: {
    sentence: 'The agent still has open work. It was left as it is.',
    next: 'End what is named, then try again.',
  },
  AGENT_INVALID: {
    sentence: 'The agent cannot run as it is set up. Nothing was started.',
    next: 'Correct what is named: its provider, model, key or folder.',
  },
  INBOX_UNKNOWN: {
    sentence: 'This question is not open: it was answered already, or never asked.',
    next: 'Look at what is open with "holdfast recovery list".',
  },
  CONFIG_UNKNOWN_KEY: {
    sentence: 'There is no setting with this name. Nothing was changed.',
    next: 'See all settings with "holdfast config get".',
  },
  CONFIG_INVALID: {
    sentence: 'The setting cannot have this value. Nothing was changed.',
    next: 'Use one of the values that are named.',
  },
  CONFIG_UNREADABLE: {
    sentence: 'The settings file cannot be read, so nothing was changed in it.',
    next: 'Correct the line that is named; the last good settings stay in force meanwhile.',
  },
  CONFIG_WRITE_FAILED: {
    sentence: 'The settings file could not be written. It is as it was before.',
    next: 'Check the permissions of the file and its folder, and the space on the disk.',
  },
  CHANNEL_UNKNOWN: {
    sentence: 'There is no channel with this name. Nothing was sent.',
    next: 'Use a channel of "holdfast channels list", or set channels.default to "window".',
  },
  CHANNEL_EXISTS: {
    sentence: 'A channel with this name exists already. It was left as it is.',
    next: 'Choose another name, or change the existing channel.',
  },
  CHANNEL_DOWN: {
    sentence: 'The channel does not answer. The message is on disk and is sent later.',
    next: 'Check the program at the other end of the channel.',
  },
  CHANNEL_REFUSED: {
    sentence: 'The channel will not take this message, now or later.',
    next: 'Check to whom it goes and what the channel is allowed; an answer went to the default channel.',
  },
  PROVIDER_UNKNOWN: {
    sentence: 'There is no provider with this name. Nothing was sent.',
    next: 'See the providers with "holdfast provider list", or add it in the settings.',
  },
  PROVIDER_KEY_MISSING: {
    sentence: 'The provider needs a key and has none. The turn waits and nothing is lost.',
    next: 'Enter the key in the settings, or name an environment variable or a file that holds it.',
  },
  PROVIDER_URL_REFUSED: {
    sentence: 'Holdfast does not send keys to this address. Nothing was sent.',
    next: 'Use an https address, or http on this computer (127.0.0.1, localhost).',
  },
  GATEWAY_CLIENT_UNKNOWN: {
    sentence: 'The gateway has no client of this name. Nothing was changed.',
    next: 'See which there are with "holdfast gateway token list".',
  },
  GATEWAY_CLIENT_EXISTS: {
    sentence: 'A client of the gateway with this name exists already. It was left as it is.',
    next: 'Choose another name, or revoke that one first.',
  },
  BREAKER_UNKNOWN: {
    sentence: 'There is no breaker of this name. Nothing was changed.',
    next: 'See which there are with "holdfast breakers list".',
  },
  EXT_UNKNOWN: {
    sentence: 'There is no MCP server of this name. Nothing was changed.',
    next: 'See which there are with "holdfast ext list".',
  },
  TOOL_UNKNOWN: {
    sentence: 'There is no tool with this name. Nothing was run.',
    next: 'See the tools with "holdfast tools list".',
  },
  TOOL_INPUT_INVALID: {
    sentence: 'The tool was called with input it cannot use. Nothing was run.',
    next: 'Nothing to do: the agent is told and can correct itself.',
  },
  TOOL_FAILED: {
    sentence: 'The tool ended with an error, which is recorded with its step.',
    next: 'Look at the step with "holdfast turns show".',
  },
  TOOL_OUTSIDE_WORKSPACE: {
    sentence: 'The tool wanted to leave the folder of its agent, and was refused.',
    next: 'Give the agent a folder that holds what it needs.',
  },
  SECRET_NOT_PERSISTED: {
    sentence: 'The key could not be stored. It works until Holdfast stops.',
    next: 'Unlock the keyring or repair the data folder, then enter the key again; or use an environment variable.',
  },
  SECRET_UNREADABLE: {
    sentence: 'The stored key cannot be read. It was kept as it is.',
    next: 'Unlock the keyring it was stored with, or enter the key again.',
  },
  RESULT_MISSING: {
    sentence: 'The stored result of a step is missing or damaged, so it counts as not recorded.',
    next: 'Decide about the turn with "holdfast recovery list".',
  },
  RESULT_UNREADABLE: {
    sentence: 'A stored text cannot be read now. It is not lost.',
    next: 'Nothing was done in its place. Make the file readable for your account or check the disk, then try again.',
  },
  DRAFT_UNKNOWN: {
    sentence: 'There is no such draft. Nothing was changed.',
    next: 'See the drafts with "holdfast drafts list".',
  },
  DRAFT_STATE: {
    sentence: 'The draft is not in a state for this. Draft and file are as before.',
    next: 'See how it stands with "holdfast drafts list".',
  },
  DRAFT_SOURCE_CHANGED: {
    sentence: 'The file has changed since the draft began, so it was not replaced.',
    next: 'Look at the difference with "holdfast drafts diff", then promote it with --over-changed or discard it.',
  },
  DRAFT_REFUSED: {
    sentence: 'The file of the draft cannot be written. Draft and file are as before.',
    next: 'Check the folder and its permissions, then try again.',
  },
  SCHEDULE_INVALID: {
    sentence: 'The schedule cannot be read. Nothing was changed.',
    next: 'Write for example "every 5m", "daily at 09:00" or "0 9 * * 1-5".',
  },
  TASK_UNKNOWN: {
    sentence: 'There is no such task. Nothing was changed.',
    next: 'List the tasks with "holdfast tasks list".',
  },
  TASK_STATE: {
    sentence: 'The task is in a state in which this cannot be done. It was not changed.',
    next: 'Look at the task to see what it is doing.',
  },
  TASK_LIMIT: {
    sentence: 'There are as many tasks, timers or runs as the settings allow. Nothing was added.',
    next: 'Cancel one that is no longer needed, or raise the limit in the settings.',
  },
  TIMER_UNKNOWN: {
    sentence: 'There is no such timer; it may have fired already. Nothing was changed.',
    next: 'List the timers with "holdfast timers list".',
  },
  EVENT_TOO_LARGE: {
    sentence: 'The event is larger than is taken. Nothing was published.',
    next: 'Put the data somewhere else and publish where it is.',
  },
  LETTER_UNKNOWN: {
    sentence: 'There is no such dead letter. Nothing was changed.',
    next: 'See what is there with "holdfast dlq list".',
  },
  QUEUE_FULL: {
    sentence: 'The queue of events is full. The dead letter stays where it is.',
    next: 'Try again when events have gone out; "holdfast queue status" shows how many wait.',
  },
  CONFIRMATION_NEEDED: {
    sentence: 'This needs your explicit confirmation. Nothing was done.',
    next: 'Look at what would happen, then confirm it.',
  },
  NOTHING_TO_RESET: {
    sentence: 'There is no data to reset. Nothing was changed.',
    next: 'Check that --data-dir names the folder you mean.',
  },
};

/** The two sentences for a code; a code of another version gets those of `INTERNAL`. */
export function errorMessage(code: string): ErrorMessage {
  return ERROR_MESSAGES[isErrorCode(code) ? code : 'INTERNAL'];
}
