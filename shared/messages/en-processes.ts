/** Commands that outlived a crash: within the question about their turn, and on their own. */
export const EN_PROCESSES = {
  'left.title': 'Its command is still running',
  'left.titleOver': 'Its command has ended',
  'left.kind': 'Command from before the restart',
  'left.process': 'Process',
  'left.processes': '{number}, one of {count} in its group',
  'left.command': 'Command',
  'left.since': 'Running',
  'left.for': 'for {duration}, since',
  'left.turn': 'Started by',
  'left.step': 'turn {id}, step {step}',
  'left.ended': 'Ended',
  'left.ended.by_itself':
    'Its exit code is unknown: only the Holdfast process that started it could read it.',
  'left.ended.by_you': 'You ended it. Anything it did before that stays done.',
  'left.ended.unseen':
    'The time is unknown: Holdfast wasn’t running, or you had let it run. Its exit code is unknown.',
  'left.said.wait': 'You’re waiting for it. When it ends, you’re asked about its turn again.',
  'left.said.end': 'You ended it, but it is still running. Try again, or end it yourself.',
  'left.said.leave': 'You let it run.',
  'left.twice': 'While it runs, running the step again would run it twice.',
  'left.wait': 'Wait for it',
  'left.waitShort': 'asks again when it ends',
  'left.waitEffect':
    'No signal is sent and nothing else runs meanwhile. When process {number} ends, this notice closes and you’re asked about its turn again.',
  'left.end': 'End it',
  'left.endShort': 'finished work stays done',
  'left.endEffect':
    'Process {number} and its group get SIGTERM, and SIGKILL after 2 s. Anything it did before that stays done; the rest stays undone.',
  'left.leave': 'Let it run',
  'left.leaveShort': 'dismisses the notice',
  'left.leaveEffect':
    'No signal is sent. The notice is dismissed; you’re still asked about its turn.',
  'left.stale':
    'The process changed while you were reading, so nothing was done and no signal was sent.',
} as const;
