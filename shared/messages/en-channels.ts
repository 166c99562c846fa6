/** English: channels, where answers go and messages come from. Texts of look.md section 9. */
export const EN_CHANNELS = {
  'channels.list': 'How they stand',
  'channels.kind.window': 'this window',
  'channels.kind.webhook': 'webhook',
  'channels.kind.telegram': 'Telegram',
  'channels.kind.command': 'program',
  'channels.kind.host': 'of the host',
  'channels.default': 'default',
  'channels.state.ready': 'ready',
  'channels.state.failing': 'does not answer',
  'channels.state.off': 'switched off',
  'channels.state.not_ready': 'not ready',
  'channels.state.gone': 'removed',
  'channels.pending': '{count, plural, one {# answer waits} other {# answers wait}}',
  'channels.pendingSince': 'for {duration}',
  'channels.delivered':
    '{count, plural, =0 {nothing taken yet} one {# answer taken} other {# answers taken}}',
  'channels.deliveredLast': 'the last one {age}',
  'channels.shown':
    'Shows every answer; those of tasks, timers and heartbeats come with a notification.',
  'channels.examples': 'How each kind is written',
  'channels.examplesAbout':
    'Copy one into "Channels of your own" and change it. The name comes first and is yours to choose; several stand in the same braces, with commas between. Secrets stay in a variable (…_env) or a file (…_file).',
  'channels.nextTry': 'next try {time}',
  'channels.now': 'now',
  'channels.in': 'in {duration}',
  'channels.listensOnly': 'Only listens; its answers go to the default channel.',
  'channels.hears': 'Hears messages at',
  'channels.hearsChats': 'Hears the chats of its list.',
  'channels.token': 'Programs that send messages show the token in {file}.',
} as const;
