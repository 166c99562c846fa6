/** Other computers, in the tray and the windows. */
export const EN_HOSTS = {
  'host.needs': '{count, plural, one {# thing needs you} other {# things need you}} on {name}',
  'host.needs.many':
    '{count, plural, one {# thing needs you} other {# things need you}} on {number} computers',
  'host.away': '{name} unreachable',
  'host.away.many': '{count} computers unreachable',
  'host.awaySince': '{name} unreachable since {time}',
  'host.other': '{name} has incompatible version {version}',
  'host.stopped': 'Holdfast not running on {name}',
  'host.unsure': 'state of {name} unknown',
  'host.connecting': 'connecting to {name}',
} as const;
