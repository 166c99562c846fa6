/** Other computers, in the tray and the windows. */
export const EN_HOSTS = {
  'host.needs': '{count, plural, one {# thing needs you} other {# things need you}} on {name}',
  'host.needs.many':
    '{count, plural, one {# thing needs you} other {# things need you}} on {number} computers',
  'host.away': '{name} unreachable',
  'host.away.many': '{count} computers unreachable',
  'host.awaySince': 'No connection to {name} since {time}',
  'host.other': '{name} runs the incompatible version {version}',
  'host.stopped': 'Holdfast not running on {name}',
  'host.unsure': 'state of {name} unknown',
  'host.connecting': 'connecting to {name}',
  // The same as a separate line.
  'host.head.away': 'No connection to {name}',
  'host.head.other': '{name} runs the incompatible version {version}',
  'host.head.stopped': 'Holdfast is not running on {name}',
  'host.head.unsure': 'The state of {name} is unknown',
  'host.head.connecting': 'Connecting to {name}',
  'host.sentence': '{text}.',
  'home.sub.hostsMore':
    '{count, plural, one {# more computer is} other {# more computers are}} not reachable or not running.',
  'hosts.away': '{count, plural, one {# computer} other {# computers}} cannot be reached.',
  // In the inbox.
  'inbox.far': 'On {name}',
  'inbox.far.host': 'Computer',
  'inbox.far.about': 'This request is on {name}. It is shown as {name} reported it.',
  'inbox.far.step': 'Step {number}: {name}, outcome unknown',
  'inbox.far.turn': '{name}, turn {number}',
  'inbox.far.gone':
    'This request was answered or has changed on that computer. Nothing was sent. Choose another item.',
  'inbox.far.unknown': 'Its open requests cannot be listed now.',
  'inbox.far.awayUnknown': 'Their open requests cannot be listed now.',
  'inbox.far.asking': 'Reading the inbox of {name}.',
  'inbox.far.untold':
    'It runs a version of Holdfast whose inbox cannot be shown here. List it in a terminal: holdfast inbox list --host {name}',
  'inbox.far.more':
    '{count, plural, one {# more item is} other {# more items are}} open there. List all of them: holdfast inbox list --host {name}',
  'inbox.far.carriedOut':
    'Your answer is carried out on {name}, with the rights of your account there.',
  'inbox.far.sending': 'Sending your answer to {name}…',
  'inbox.far.stepNumber': 'Step {number}',
  'inbox.far.allowThere':
    'Only part of the input is shown here. To allow it, read all of it on that computer.',
  'inbox.far.resultThere': 'The result can be entered only on that computer.',
  'inbox.far.counted': 'Your answer was applied on {name}.',
  'inbox.far.not_counted': 'Your answer was not applied on {name}.',
  'inbox.far.unknown_outcome':
    'It is unknown whether your answer reached {name}. If the request is still open there, answer again: it is applied at most once.',
  'inbox.far.none': 'Nothing needs you there.',
  // In the list of sessions.
  'sessions.far.sub': '{count, plural, one {# on another computer.} other {# on other computers.}}',
  'sessions.far.noneHere': 'None on this computer yet.',
  'sessions.far.notes': 'Sessions of other computers',
  'sessions.far.unknown': 'The sessions on {name} cannot be listed now.',
  'sessions.far.asking': 'Reading the sessions of {name}.',
  'sessions.far.none': 'No sessions on {name}.',
  'sessions.far.hidden':
    '{count, plural, one {# session is} other {# sessions are}} not shown: this version does not understand it. List them: holdfast sessions list --host {name}',
  'sessions.far.more':
    '{count, plural, one {Only the most recently used session is} other {Only the # most recently used sessions are}} shown. List more: holdfast sessions list --limit 500 --host {name}',
  'sessions.far.archived':
    'Archived sessions of other computers are not listed here. List them: holdfast sessions list --archived --host {name}',
  'sessions.far.awayUnknown': 'Their sessions cannot be listed now.',
  'turns.far':
    'Turns of other computers are not listed here. List them: holdfast turns list --host {name}',
  'sessions.far.state': 'Unknown',
  'sessions.far.one': 'Session on {name}',
  'sessions.far.noHost': 'No computer named {name} is set up. Add it in Settings, General.',
  'sessions.far.gone': 'It is not among the most recently used sessions on {name}.',
  'sessions.far.key': 'Name',
  'sessions.far.there': 'This session is on {name}. Work with it in a terminal:',
  'sessions.far.read': 'Read and follow',
  'sessions.far.send': 'Send a message',
  'sessions.far.stop': 'Cancel its turn',
  // The conversation of one of them.
  'chat.far.asking': 'Reading the conversation on {name}.',
  'chat.far.unknown': 'The conversation on {name} cannot be read now.',
  'chat.far.before': 'This was read earlier. What has happened on {name} since then is unknown.',
  'chat.far.older':
    '{name} runs an older version of Holdfast, which cannot show a conversation on another computer. Update it, or read the conversation in a terminal.',
  'chat.far.hidden':
    '{count, plural, one {# entry is not shown: this version does not understand it.} other {# entries are not shown: this version does not understand them.}}',
  'chat.far.empty': 'No messages yet.',
  'tool.far.asking': 'Waiting for {name}…',
  'tool.far.away':
    'The input and output of this tool call cannot be read now: {name} is not connected.',
  'tool.far.soFar': 'Output so far',
  'tool.far.longer': 'The text is too long to show here. Read all of it in a terminal:',
  // On the page of search.
  'find.hosts': 'Also search other computers for {text}',
  'search.far.sub':
    '{count, plural, one {# more on another computer.} other {# more on other computers.}}',
  'search.far.only':
    '{count, plural, one {# match on another computer.} other {# matches on other computers.}}',
  'search.far.hits': 'Matches on {name}',
  'search.far.not': '{name} was not searched.',
  'search.far.awayNot': 'They were not searched.',
  'search.far.asking': 'Searching on {name}…',
  'search.far.none': 'No matches on {name}.',
  'search.far.hidden':
    '{count, plural, one {# match is not shown: this version does not understand it.} other {# matches are not shown: this version does not understand them.}}',
  'search.far.more':
    '{count, plural, one {Only the newest match is} other {Only the newest # matches are}} shown. Find more: holdfast search WORDS --limit 500 --host {name}',
} as const;
