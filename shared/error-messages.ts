/**
 * The default message for each error code, used if the error has no better sentence of its own:
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
    next: 'Correct the value shown above and try again.',
  },
  VERB_UNKNOWN: {
    sentence: 'This version of Holdfast has no such command. Nothing was changed.',
    next: 'Use the same version of the window or command line as the running Holdfast.',
  },
  SENDER_REFUSED: {
    sentence: 'A request came from a page that is not a Holdfast window, and was rejected.',
    next: 'If you did this yourself, use the Holdfast window or the command line.',
  },
  RATE_LIMITED: {
    sentence: 'Too many requests came at once; this one was not executed.',
    next: 'Wait a second and try again.',
  },
  REQUEST_STALE: {
    sentence: 'What you decided on has changed since it was shown to you. Nothing was done.',
    next: 'Review it again and decide.',
  },
  OUTAGE_QUEUE_FULL: {
    sentence:
      'Too many turns are waiting for a provider that is down; this one was not accepted. The waiting turns are saved.',
    next: 'Send it again when the provider is back, or raise limits.max_waiting_turns.',
  },
  REQUEST_UNKNOWN: {
    sentence: 'This request was not found. Nothing was changed.',
    next: 'See pending requests with "holdfast inbox list".',
  },
  REQUEST_ANSWERED: {
    sentence: 'This request was already answered. Nothing was changed.',
    next: 'Look at the turn to see the result.',
  },
  NOT_RUNNING: {
    sentence: 'Holdfast is not running. Everything it accepted is on disk.',
    next: 'Start it with "holdfast start".',
  },
  HOST_UNKNOWN: {
    sentence: 'This host was not found. Nothing was changed.',
    next: 'List hosts with "holdfast hosts list", or write ssh://user@host.',
  },
  HOST_EXISTS: {
    sentence: 'A host with this name already exists. It was left unchanged.',
    next: 'Choose another name, or remove the existing host first with "holdfast hosts remove".',
  },
  HOST_UNREACHABLE: {
    sentence: 'Another computer could not be reached over SSH. What is running there is unknown.',
    next: 'Check with "ssh" that you can log in there, then repeat the command.',
  },
  STARTING: {
    sentence: 'Holdfast is still starting. Nothing was changed.',
    next: 'Try again in a few seconds.',
  },
  STOPPING: {
    sentence: 'Holdfast is stopping and accepts no new work. Everything it accepted is on disk.',
    next: 'Start it again, then repeat the request.',
  },
  INTERNAL: {
    sentence: 'Something went wrong inside Holdfast. Everything accepted before is still on disk.',
    next: 'Look at "holdfast logs" for the details, and run "holdfast doctor".',
  },
  DATA_DIR_UNUSABLE: {
    sentence: 'The data directory cannot be used. Nothing in it was changed.',
    next: 'Check that the directory exists and that you can write to it, or choose another with --data-dir.',
  },
  DATA_DIR_UNSAFE: {
    sentence:
      'Another account can change the data directory, or has put something into it, so nothing in it is used.',
    next: 'Check its contents before you trust it. Then make it your own with "chmod 700" and "chown", and start again.',
  },
  DATABASE_NEWER: {
    sentence: 'The database was written by a newer version of Holdfast. It was not touched.',
    next: 'Install that version, or a newer one.',
  },
  DATABASE_UNKNOWN: {
    sentence: 'The database file was not created by Holdfast. It was not touched.',
    next: 'Move the file away, or choose another directory with --data-dir.',
  },
  DATABASE_MISSING: {
    sentence: 'This directory has no Holdfast data yet.',
    next: 'Choose another directory with --data-dir, or start Holdfast once.',
  },
  DATABASE_CORRUPT: {
    sentence: 'The database is damaged. It was left as it is.',
    next: 'Run "holdfast doctor"; backups are in the folder "backups" of the data directory.',
  },
  DATABASE_BUSY: {
    sentence: 'Another program has locked the database. Nothing was changed.',
    next: 'Close the other program and try again.',
  },
  DISK_FULL: {
    sentence: 'The disk is full, so new work is rejected. Everything accepted before is safe.',
    next: 'Free some space; Holdfast then continues automatically.',
  },
  DISK_READ_ONLY: {
    sentence:
      'The data directory is read-only, so new work is rejected. Everything accepted before is safe.',
    next: 'Make the directory writable again; Holdfast then continues automatically.',
  },
  DISK_FAILED: {
    sentence:
      'The disk reports an error, so new work is rejected. Everything accepted before is safe.',
    next: 'Holdfast retries automatically. If the error stays, check the disk, then run "holdfast doctor --full".',
  },
  NATIVE_MODULE_UNUSABLE: {
    sentence: 'The database module was built for another version of Node or Electron.',
    next: 'Run "npm start" in the checkout, or install Holdfast again. Your data is untouched.',
  },
  PROGRAM_CHANGED: {
    sentence: "Holdfast's program files changed while it was running. Your work is safe.",
    next: 'Restart Holdfast; waiting turns then resume. If this stays, install Holdfast again.',
  },
  LOCK_HELD: {
    sentence: 'Another Holdfast is using this data directory. This one did not start.',
    next: 'Use the running one, stop it with "holdfast stop", or start with --takeover.',
  },
  LOCK_OTHER_HOST: {
    sentence: 'The data directory was last used on another computer, which may still be using it.',
    next: 'Stop Holdfast there, then start with --takeover.',
  },
  LOCK_OTHER_USER: {
    sentence: "Another user's Holdfast is using this data directory. It was left alone.",
    next: 'Ask that user to stop it, or choose your own directory with --data-dir.',
  },
  LOCK_UNKILLABLE: {
    sentence: 'The Holdfast that is using this data directory does not exit. Nothing was changed.',
    next: 'End that process yourself or restart the computer, then start again.',
  },
  LOCK_FILESYSTEM: {
    sentence: 'The file system of the data directory cannot lock files, so starting is not safe.',
    next: 'Choose a directory on a local disk with --data-dir.',
  },
  LEASE_LOST: {
    sentence:
      'Another attempt of this turn took over. The old one wrote nothing and did nothing more.',
    next: 'Nothing to do: the turn continued in the other attempt.',
  },
  LOCK_LOST: {
    sentence:
      'Holdfast lost its lock on the data directory and stopped, so that nothing runs twice.',
    next: 'Start it again; interrupted turns are recovered.',
  },
  TURN_UNKNOWN: {
    sentence: 'This turn was not found. Nothing was changed.',
    next: 'List turns with "holdfast turns list".',
  },
  TURN_STATE: {
    sentence: 'The state of the turn does not allow this. Nothing was changed.',
    next: 'Look at the turn again with "holdfast turns show".',
  },
  RUN_UNKNOWN: {
    sentence: 'This skill run was not found. Nothing was changed.',
    next: 'List skill runs with "holdfast runs list".',
  },
  RUN_STATE: {
    sentence: 'The skill run has already ended. Nothing was changed.',
    next: 'Look at it with "holdfast runs show".',
  },
  SKILL_UNKNOWN: {
    sentence: 'No runnable skill has this name. Nothing was started.',
    next: 'List skills with "holdfast skills list".',
  },
  STEP_UNKNOWN: {
    sentence: 'The turn has no such step. Nothing was changed.',
    next: 'See its steps with "holdfast turns show".',
  },
  STEP_STATE: {
    sentence: 'The step is no longer waiting for this answer. Nothing was changed.',
    next: 'Look at the turn again with "holdfast turns show".',
  },
  SESSION_UNKNOWN: {
    sentence: 'This session was not found. Nothing was changed.',
    next: 'List sessions with "holdfast sessions list".',
  },
  SESSION_EXISTS: {
    sentence: 'A session with this name already exists. It was left unchanged.',
    next: 'Choose another name, or continue in the existing session.',
  },
  SESSION_BUSY: {
    sentence: 'This session has unfinished work, or another session needs it. It was not deleted.',
    next: 'Finish or cancel its unfinished turns, or archive the session instead.',
  },
  SESSION_LIMIT: {
    sentence: 'The limit for pinned sessions is reached. Nothing was changed.',
    next: 'Unpin another session first.',
  },
  CONVERSATION_UNKNOWN: {
    sentence: 'The agent has no such conversation for Holdfast to continue. Nothing was changed.',
    next: 'List them with "holdfast sessions attach AGENT".',
  },
  CONVERSATION_BUSY: {
    sentence: 'This conversation is open somewhere else. It was left unchanged.',
    next: 'End it there first: a conversation can run in only one place at a time.',
  },
  AGENT_UNKNOWN: {
    sentence: 'This agent was not found. Nothing was changed.',
    next: 'List agents with "holdfast agents list".',
  },
  AGENT_EXISTS: {
    sentence: 'An agent with this name already exists. It was left unchanged.',
    next: 'Choose another name, or change the existing agent.',
  },
  AGENT_BUSY: {
    sentence: 'The agent still has unfinished work. It was left unchanged.',
    next: 'End the work listed above, then try again.',
  },
  PROVIDER_BUSY: {
    sentence: 'Agents still use this provider. Nothing was changed.',
    next: 'Choose another provider for each with "holdfast agents edit", or remove it, then try again.',
  },
  AGENT_INVALID: {
    sentence: 'The agent cannot run with its current settings. Nothing was started.',
    next: 'Correct the setting shown above: its provider, model, key or folder.',
  },
  INBOX_UNKNOWN: {
    sentence:
      'No open item has this ID: it was already answered, or never existed. Nothing was changed.',
    next: 'List open items with "holdfast inbox list".',
  },
  CONFIG_UNKNOWN_KEY: {
    sentence: 'No setting has this name. Nothing was changed.',
    next: 'List all settings with "holdfast config list".',
  },
  CONFIG_INVALID: {
    sentence: 'The setting cannot have this value. Nothing was changed.',
    next: 'Use one of the values listed above.',
  },
  CONFIG_UNREADABLE: {
    sentence: 'The settings file cannot be read. Nothing was changed.',
    next: 'Correct the line shown above. Until then Holdfast uses the last valid settings.',
  },
  CONFIG_WRITE_FAILED: {
    sentence: 'The settings file could not be written. It was not changed.',
    next: 'Check the permissions of the file and its folder, and the space on the disk.',
  },
  BUDGET_UNKNOWN: {
    sentence: 'This budget was not found. Nothing was changed.',
    next: 'Use a budget from "holdfast budgets list".',
  },
  CHANNEL_UNKNOWN: {
    sentence: 'This channel was not found. Nothing was sent.',
    next: 'Use a channel from "holdfast channels list", or set channels.default to "window".',
  },
  CHANNEL_EXISTS: {
    sentence: 'A channel with this name already exists. It was left unchanged.',
    next: 'Choose another name, or change the existing channel.',
  },
  CHANNEL_DOWN: {
    sentence: 'The channel is not responding. The message is on disk and will be sent later.',
    next: 'Check the program at the other end of the channel.',
  },
  CHANNEL_REFUSED: {
    sentence: 'The channel permanently rejected this message. It will not be sent again.',
    next: 'Check the recipient and the permissions of the channel. A reply was sent to the default channel instead.',
  },
  PROVIDER_UNKNOWN: {
    sentence: 'This provider was not found. Nothing was sent.',
    next: 'List providers with "holdfast providers list", or add it in the settings.',
  },
  PROVIDER_EXISTS: {
    sentence: 'A provider with this name already exists. It was left unchanged.',
    next: 'Choose another name, or change the existing provider.',
  },
  PROVIDER_KEY_MISSING: {
    sentence: 'The provider needs an API key and has none. The turn waits, and nothing is lost.',
    next: 'Enter the API key in the settings, or set an environment variable or a file that has it.',
  },
  PROVIDER_URL_REFUSED: {
    sentence: 'Holdfast does not send API keys to this address. Nothing was sent.',
    next: 'Use an https address, or http on this computer (127.0.0.1, localhost).',
  },
  GATEWAY_CLIENT_UNKNOWN: {
    sentence: 'The gateway has no client with this name. Nothing was changed.',
    next: 'List clients with "holdfast gateway token list".',
  },
  GATEWAY_CLIENT_EXISTS: {
    sentence: 'A gateway client with this name already exists. It was left unchanged.',
    next: 'Choose another name, or revoke the existing client first.',
  },
  BREAKER_UNKNOWN: {
    sentence: 'No circuit breaker has this name. Nothing was changed.',
    next: 'List circuit breakers with "holdfast breakers list".',
  },
  EXT_UNKNOWN: {
    sentence: 'This MCP server was not found. Nothing was changed.',
    next: 'List MCP servers with "holdfast mcp list".',
  },
  TOOL_UNKNOWN: {
    sentence: 'This tool was not found. Nothing was run.',
    next: 'List tools with "holdfast tools list".',
  },
  TOOL_INPUT_INVALID: {
    sentence: 'The tool was called with invalid input. Nothing was run.',
    next: 'Nothing to do: the agent gets this error and can correct its input.',
  },
  TOOL_FAILED: {
    sentence: 'The tool ended with an error, which is recorded with its step.',
    next: 'Look at the step with "holdfast turns show".',
  },
  TOOL_OUTSIDE_WORKSPACE: {
    sentence: "The tool tried to access a path outside the agent's folder, and was denied.",
    next: 'Give the agent a folder that contains the files it needs.',
  },
  SECRET_NOT_PERSISTED: {
    sentence: 'The API key could not be stored. It works until Holdfast stops.',
    next: 'Unlock the keyring or repair the data directory, then enter the key again; or use an environment variable.',
  },
  SECRET_UNREADABLE: {
    sentence: 'The stored API key cannot be read. It was left unchanged.',
    next: 'Unlock the keyring it was stored with, or enter the key again.',
  },
  RESULT_MISSING: {
    sentence: 'The stored result of a step is missing or damaged, so it counts as not recorded.',
    next: 'Review the turn with "holdfast inbox list".',
  },
  RESULT_UNREADABLE: {
    sentence: 'A stored text cannot be read now. It is not lost.',
    next: 'Nothing was done instead. Make the file readable for your account or check the disk, then try again.',
  },
  DRAFT_UNKNOWN: {
    sentence: 'This draft was not found. Nothing was changed.',
    next: 'List drafts with "holdfast drafts list".',
  },
  DRAFT_STATE: {
    sentence:
      'The state of the draft does not allow this. The draft and its file were not changed.',
    next: 'See its status with "holdfast drafts list".',
  },
  DRAFT_SOURCE_CHANGED: {
    sentence: 'The file has changed since the draft was created, so it was not replaced.',
    next: 'Review the changes with "holdfast drafts diff", then apply the draft with --over-changed or discard it.',
  },
  DRAFT_REFUSED: {
    sentence: "The draft's file cannot be written. The draft and its file were not changed.",
    next: 'Check the folder and its permissions, then try again.',
  },
  SCHEDULE_INVALID: {
    sentence: 'The schedule cannot be read. Nothing was changed.',
    next: 'Write for example "every 5m", "daily at 09:00" or "0 9 * * 1-5".',
  },
  TASK_UNKNOWN: {
    sentence: 'This task was not found. Nothing was changed.',
    next: 'List tasks with "holdfast tasks list".',
  },
  TASK_STATE: {
    sentence: 'The state of the task does not allow this. It was not changed.',
    next: 'Look at the task to see what it is doing.',
  },
  TASK_LIMIT: {
    sentence: 'The limit for tasks, timers or runs is reached. Nothing was added.',
    next: 'Cancel one that is no longer needed, or raise the limit in the settings.',
  },
  TIMER_UNKNOWN: {
    sentence: 'This timer was not found; it may have fired already. Nothing was changed.',
    next: 'List timers with "holdfast timers list".',
  },
  EVENT_TOO_LARGE: {
    sentence: 'The event is larger than the limit. Nothing was published.',
    next: 'Store the data somewhere else and publish a link to it.',
  },
  LETTER_UNKNOWN: {
    sentence: 'This dead letter was not found. Nothing was changed.',
    next: 'List dead letters with "holdfast dlq list".',
  },
  QUEUE_FULL: {
    sentence: 'The event queue is full. The dead letter was left unchanged.',
    next: 'Try again when events have been delivered; "holdfast events status" shows how many are queued.',
  },
  SHARE_UNREACHABLE: {
    sentence: 'The shared store cannot be reached. Shared turns wait; everything else continues.',
    next: 'Check the connection. Holdfast tries again automatically; see "holdfast share status".',
  },
  SHARE_REFUSED: {
    sentence: 'The shared store rejected this computer. Nothing was sent to it.',
    next: 'Ask for a new invitation, and join with "holdfast share join".',
  },
  SHARE_VERSION: {
    sentence:
      'This version of Holdfast and the shared store are not compatible. Nothing was changed.',
    next: 'Update Holdfast on the computer with the older version.',
  },
  SHARE_OFF: {
    sentence: 'This computer does not share work. Nothing was changed.',
    next: 'Join a shared store with "holdfast share join".',
  },
  SHARE_STATE: {
    sentence: 'The state of the shared store does not allow this. Nothing was changed.',
    next: 'See "holdfast share status" and "holdfast machines list".',
  },
  SHARE_SERVER: {
    sentence:
      'The PostgreSQL of the shared store on this computer does not run. What was stored is safe.',
    next: 'See "holdfast share status" for the reason, and server.log in the folder share/store of the data directory.',
  },
  MACHINE_UNKNOWN: {
    sentence: 'This computer does not share the work. Nothing was changed.',
    next: 'List computers with "holdfast machines list".',
  },
  UPDATE_UNREACHABLE: {
    sentence: 'The server with the versions of Holdfast cannot be reached. Nothing was changed.',
    next: 'Check the connection and "updates.feed", then try again.',
  },
  UPDATE_REFUSED: {
    sentence: 'The update was rejected. Nothing was changed.',
    next: 'See "holdfast update status".',
  },
  UPDATE_ROLLING_BACK: {
    sentence:
      'The new version did not start before. Holdfast goes back to the version before it; your work is saved.',
    next: 'Wait a moment, then open Holdfast again.',
  },
  CONFIRMATION_NEEDED: {
    sentence: 'This needs your explicit confirmation. Nothing was done.',
    next: 'Review what would happen, then confirm it.',
  },
  NOTHING_TO_RESET: {
    sentence: 'There is no data to reset. Nothing was changed.',
    next: 'Check that --data-dir points to the directory you mean.',
  },
};

/** The two sentences for a code; an unknown code of another version gets those of `INTERNAL`. */
export function errorMessage(code: string): ErrorMessage {
  return ERROR_MESSAGES[isErrorCode(code) ? code : 'INTERNAL'];
}

/** Both sentences of a code, for a place that states a problem and throws nothing. */
export function errorText(code: ErrorCode): string {
  const { sentence, next } = ERROR_MESSAGES[code];
  return `${sentence} ${next}`;
}
