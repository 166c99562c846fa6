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
} as const;
