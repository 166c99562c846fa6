/**
 * English: why a turn, a run or an outage has its state. The journal stores the keys, so none may
 * change.
 */
export const EN_REASONS = {
  'reason.none': '',
  'reason.quoted': '{text}',
  'reason.cancelled': 'You canceled it.',
  'reason.discarded': 'You discarded it.',
  'reason.chosen': 'You chose to resume.',
  'reason.raised': 'The limit was raised.',
  'reason.answered': 'Answered; the turn continues.',
  'reason.approval': '{tool} needs your approval.',
  'reason.result': '{tool} waits for its external result.',
  'reason.shutdown': 'Interrupted by shutdown; resumes at the next start.',
  'reason.restarted': 'Resumes after a restart.',
  'reason.diskBack': 'Resumes: the disk accepts writes again.',
  'reason.shared': 'Waits in the shared queue.',
  'reason.sharedAway': 'Continues on {name}.',
  'reason.sharedUnreachable':
    'The shared store could not be reached until the lease ended: any computer may continue it.',
  'reason.sharedLeft':
    'This computer left the shared store and no longer follows this turn: another computer may still run it. To run it here, cancel it and send it again.',
  'reason.sharedSkill':
    'This turn used a skill on {name}, and its runs stay there. Discard it or run it on that computer.',
  'reason.sharedFiles':
    'The agent worked on {name} in the files of this turn, and its last changes are only there. {text} Resume it here without them, or discard it.',
  'reason.sharedFilesRefused': 'Waits in the shared queue. {name} cannot run it: {text}',
  'reason.takenOver': 'Taken over: {text}.',
  'reason.failure': '{text} {what}',
  'reason.tried': '{what} Tried {count} times in a row, so it is not retried automatically.',
  'reason.retry': '{text} Next retry at {time} (try {count}).',
  'reason.error': 'Stopped by an error: {text}',
  'reason.errorHint': 'Stopped by an error: {text} {what}',
  'reason.lengthLimit': 'The answer reached the length limit of the provider.',
  'reason.contentFilter': 'The content filter of the provider ended the answer.',
  'reason.drift': 'A result that was re-read after the restart has changed.',
  'reason.unreadable': 'The journal entries of this turn cannot be read: {text}',
  'reason.unknownCalls': '{name} (started, outcome unknown): {text}',
  'reason.exitCode': 'It ended with exit code {count}.',
  'reason.exitCodeLimit':
    'It ended with exit code {count}. This looks like a usage limit, without a reset time that Holdfast knows: {text} Send the prompt again when the limit has reset.',
  'reason.canResume': '{text} It can resume where it stopped.',
  'reason.wholeRun':
    '{name} was interrupted, and what it had done by then is unknown. Check its folder, then mark the run as done or run it again.',
  'reason.wholeRunAfter': '{text} {what}',
  // Exceeded limits of a turn or a budget.
  'reason.steps': 'This turn reached {count} steps.',
  'reason.cost': 'This turn reached {cost}.',
  'reason.seconds': 'This turn has run for {seconds} s.',
  'reason.minutes': 'This turn has run for {minutes} min.',
  'reason.paused': '{what} It is paused: raise the limit or cancel it.',
  'reason.budget': 'The budget {name} is spent: {text}.',
  'reason.budgetUntil':
    'The budget {name} is spent: {text}. The turn is saved and continues at {time}, or when you allow more.',
  'reason.creditUntil':
    'The credit {name} is spent: {text}. The turn is saved and continues when the credit starts again at {time}, or when you allow more.',
  // A start's decisions about an unfinished turn.
  'reason.modeNever': 'The recovery mode is "never": every interrupted turn needs your review.',
  'reason.onYourList': '{name}: on your side-effect list.',
  'reason.stale': 'It was interrupted too long ago to resume automatically.',
  'reason.stepPolicy': 'The step policy is discard_skill and an outcome is unknown.',
  'reason.policyDiscards':
    'Under your policy, a run with an unknown outcome is discarded; its caller gets an error.',
  'reason.policySkips': 'Under your policy, a step with an unknown outcome is skipped.',
  'reason.policyRetries': 'Under your policy, a step with an unknown outcome runs again.',
  'reason.noneUnknown': 'No outcome is unknown: it resumes where it stopped.',
  'reason.alone':
    '{what} Holdfast crashed again while this turn was running: it runs alone until it gets further.',
  'reason.poison': 'Parked: this turn {what} at step {step}.',
  'reason.ended': 'ended Holdfast {count, plural, =1 {once} other {# times}}',
  'reason.stalled': 'stopped responding {count, plural, =1 {once} other {# times}}',
  'reason.both': '{first} and {last}',
  // Skill runs.
  'reason.parentDiscarded': 'The run that started it is discarded.',
  'reason.resumes': 'It resumes where it stopped.',
  'reason.skillPolicy': 'The policy of this skill is discard_skill and an outcome is unknown.',
  'reason.runPolicy': 'An outcome is unknown, and the policy of the skill is discard_skill.',
  'reason.stepSkipped': 'A step with an unknown outcome is skipped.',
  'reason.stepAgain': 'A step with an unknown outcome runs again.',
  'reason.promptRetries':
    'A step with an unknown outcome runs again. The policy "prompt" acts as retry: a start never waits for an answer.',
  'reason.callerError': 'A skill run was discarded; its caller gets an error.',
  'reason.runDiscarded': 'The run of the skill was discarded.',
  'reason.runDiscardedBy': 'The run of the skill "{name}" was discarded. {text}',
  'reason.runDamaged': 'Run {id} of "{name}": {text}',
  'reason.runGone': 'Run {id} cannot resume: {text}',
  'reason.runDepth': 'Skills can start other skills up to {count} levels deep.',
  'reason.runOutputMissing':
    'Run {id} of "{name}": the output of the phase before "{title}" is missing.',
  'reason.runInputMissing':
    'Run {id} of "{name}": its stored input is missing, so it does not run.',
  'reason.skillFailed': 'The skill "{name}" failed. {text}',
  'reason.skillChanged':
    'The skill "{name}" has changed in its phase "{title}" since the interruption: it was {first}, it is {last}. Resume with the new version, or discard the run.',
  // Providers that are down.
  'reason.waits': '{what} It is saved and resumes automatically.',
  'reason.down': '{name} has been down since {time}.',
  'reason.back': '{name} is back; turns resume in order.',
  'reason.breaker': '{name} failed several times in a row and is not called right now.',
  'reason.limit': 'The usage limit of {name} is reached.',
  'reason.limitUntil': 'The usage limit of {name} is reached. It resets at {time}.',
  'reason.limitUnnamed': '{what} No reset time was given: it is retried at {time}.',
  'reason.limitReset': 'The usage limit of {name} has reset; turns resume in order.',
  'reason.rate': '{name} is rate limited.',
  'reason.rateUntil': '{name} is rate limited until {time}.',
  'reason.keyRejected': '{name} rejected the API key.',
  'reason.key':
    '{what} This is not an outage: the turn waits until {file} has another key, then resumes automatically.',
  'reason.fellBackLimit': 'Continues with {name} instead of {first}, which is at its usage limit.',
  'reason.fellBackOutage': 'Continues with {name} instead of {first}, which is down.',
  'reason.offerLimit':
    '{first} is at its usage limit, and turns of {name} wait for it. They can continue with {last} now: it gets everything done so far, and no completed action is repeated. Dismiss this to keep waiting.',
  'reason.offerOutage':
    '{first} is down, and turns of {name} wait for it. They can continue with {last} now: it gets everything done so far, and no completed action is repeated. Dismiss this to keep waiting.',
  'reason.waitHeld':
    'You chose not to continue it automatically. Choose Resume to continue it, or discard the turn.',
  'reason.waitOff': '{what} Automatic waiting is off. Choose Resume to retry the provider.',
  'reason.waitTooLong':
    '{what} The turn would wait longer than resilience.max_wait allows ({duration}), so it needs your decision: choose Check now under Outages, then resume.',
  'reason.waitFar':
    '{what} That is later than limits.max_wait allows ({duration}), so it needs your decision: choose Resume to wait no longer, or discard the turn.',
  'reason.waitWindows':
    '{what} The turn has already used up {count} windows of this limit (limits.max_windows), so it needs your decision: choose Resume to continue it.',
} as const;
