/** English: sentences that windows, tray, engine and command line share. */
export const EN_WORDS = {
  'effect.question':
    '{count, plural, one {Was the {name} {what}?} other {Were the {name} {what}?}}',
  'effect.to': '{name} to {text}',
  'effect.happened': 'Did {name} happen?',
  'agent.demo': 'Demo agent',
  'provider.demo': 'Demo provider',
  'provider.agent': 'Agent {name}',
  'breaker.of.mcp': 'MCP server {name}',
  'breaker.of.channel': 'Channel {name}',
  'breaker.of.browser': 'Browser of session {name}',
  'breaker.of.broker': 'Event broker',
  'breaker.of.window': 'Holdfast window',
  'quit.turns': '{count, plural, one {# turn} other {# turns}}',
  'quit.fact.resume': '{text} will resume on next start',
  'quit.fact.ask': '{text} will need your review',
  'quit.fact.discard': '{text} will be discarded',
  'quit.resume':
    '{count, plural, one {# turn resumes at the next start.} other {# turns resume at the next start.}}',
  'quit.ask':
    '{count, plural, one {# turn is interrupted and needs your review then.} other {# turns are interrupted and need your review then.}}',
  'quit.discard':
    '{count, plural, one {# turn is discarded then, under your step policy.} other {# turns are discarded then, under your step policy.}}',
  'quit.nowText': 'Quits now',
  'quit.whenDone': 'Quits when {count, plural, one {# step completes} other {# steps complete}}',
  'quit.whenDoneOf':
    'Quits when {count, plural, one {# step completes} other {# steps complete}}: {text}',
} as const;
