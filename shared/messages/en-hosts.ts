/** Other computers, in the tray and the windows. */
export const EN_HOSTS = {
  'host.needs': '{count, plural, one {# thing needs you} other {# things need you}} on {name}',
  'host.needs.many':
    '{count, plural, one {# thing needs you} other {# things need you}} on {number} computers',
  'host.away': '{name} unreachable',
  'host.away.many': '{count} computers unreachable',
  'host.awaySince': 'No connection to {name} since {time}',
  'host.other': '{name} has incompatible version {version}',
  'host.stopped': 'Holdfast not running on {name}',
  'host.unsure': 'state of {name} unknown',
  'host.connecting': 'connecting to {name}',
  // The same as a line of its own.
  'host.head.away': 'No connection to {name}',
  'host.head.other': '{name} has incompatible version {version}',
  'host.head.stopped': 'Holdfast is not running on {name}',
  'host.head.unsure': 'The state of {name} is unknown',
  'host.head.connecting': 'Connecting to {name}',
  'host.sentence': '{text}.',
  // In the inbox.
  'inbox.far': 'On {name}',
  'inbox.far.host': 'Computer',
  'inbox.far.about': 'This waits on {name}. What is shown here is what {name} says.',
  'inbox.far.step': 'Step {number}: {name}, outcome unknown',
  'inbox.far.turn': '{name}, turn {number}',
  'inbox.far.gone': 'This no longer waits there, or it has changed.',
  'inbox.far.unknown': 'What waits there is not known.',
  'inbox.far.asking': 'Waiting for the list of {name}.',
  'inbox.far.untold':
    'Its version does not list what waits in a way that this one reads. Ask it: holdfast inbox list --host {name}',
  'inbox.far.more':
    '{count, plural, one {# more item waits} other {# more items wait}} there. List everything: holdfast inbox list --host {name}',
  'inbox.far.carriedOut':
    'Your answer is carried out on {name}, with the rights of your account there.',
  'inbox.far.sending': 'Sending your answer to {name}…',
  'inbox.far.stepNumber': 'Step {number}',
  'inbox.far.allowThere':
    'Its input is longer than what is shown here. Allow it where all of it can be read.',
  'inbox.far.resultThere': 'Its result can be given there only.',
  'inbox.far.counted': 'Your answer counts on {name}.',
  'inbox.far.not_counted': 'Your answer was not counted on {name}.',
  'inbox.far.unknown_outcome':
    'It is not known whether your answer counted on {name}. If it still waits there, answer again: an answer counts once at most.',
  'inbox.far.none': 'Nothing needs you there.',
} as const;
