/** Commands that outlived a crash: within the question about their turn, and on their own. */
export const EN_PROCESSES = {
  'left.title': 'Its command still runs',
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
    'Its exit code is not known: only the Holdfast that started it could read it.',
  'left.ended.by_you': 'You ended it. What it had done by then stays done.',
  'left.ended.unseen':
    'Nobody saw when: Holdfast was not running, or you had let it run. Its exit code is not known.',
  'left.said.wait': 'You wait for it. When it ends, you are asked about its turn again.',
  'left.said.end': 'You asked to end it, and it still runs. Try again, or end it by hand.',
  'left.said.leave': 'You let it run.',
  'left.twice': 'While it runs, running the step again would make two of them.',
  'left.wait': 'Wait for it',
  'left.waitShort': 'asks again when it ends',
  'left.waitEffect':
    'Nothing is signalled and nothing runs meanwhile. When process {number} ends, its notice goes and you are asked about its turn again.',
  'left.end': 'End it',
  'left.endShort': 'what it did stays done',
  'left.endEffect':
    'Process {number} and its group get SIGTERM, and SIGKILL after 2 s. What it has done by then stays done; what it left undone stays undone.',
  'left.leave': 'Let it run',
  'left.leaveShort': 'puts the notice away',
  'left.leaveEffect':
    'Nothing is signalled. The notice is put away; the question about its turn stays.',
  'left.stale': 'What you saw has changed, so nothing was done and nothing was signalled.',
} as const;
