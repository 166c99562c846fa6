/** English texts of the question about one tool call: the same in windows, tray and terminal. */
export const EN_QUESTIONS = {
  'question.command':
    'Allow {what, select, push {a push} forcePush {a force push} other {`{text}`}}{name, select, no_value {} other { to {name}}}{folder, select, no_value {} other { in {folder}}}?',
  'question.tool':
    'Allow {tool}{name, select, no_value {} other { to {name}}}{text, select, no_value {} other { for {text}}}{folder, select, no_value {} other { in {folder}}}?',
  'question.file': 'Allow a change to {file}{folder, select, no_value {} other { in {folder}}}?',
  'question.result': 'What did {tool} return?',
  'warning.deletes': '{text} deletes folders with everything in them.',
  'warning.deletesUnasked': '{text} deletes folders with everything in them, without asking.',
  'warning.unasked': '{text} deletes without asking.',
  'warning.forcePush': '{text} replaces what the remote has: commits there can be lost.',
  'warning.force': "{text} skips the command's own checks.",
  'warning.discards': '{text} throws away changes that are not committed.',
  'warning.root': '{text} runs with the rights of another user, usually root.',
  'warning.overwrites': '{text} replaces what the file has now.',
  'warning.pipe': '{text} runs whatever the server sends, unread.',
  'warning.title': 'What to look at in this command',
  'question.folder': 'Folder',
  'scope.title': 'If you allow it, for how long',
  'scope.once': 'Once',
  'scope.onceAbout': 'This exact call, once, even after a restart',
  'scope.session': 'This session',
  'scope.sessionAbout':
    'Each {name} in this session, until the session ends{what, select, push {; a force push still asks} other {}}',
  'scope.always': 'Always',
  'scope.alwaysAbout':
    'Each {name}, in every session and for every agent{what, select, push {; a force push still asks} other {}}. Becomes the rule "{text}" in Settings, where you can remove it',
  'scope.alwaysThere':
    'Each {name} on that computer, in every session and for every agent{what, select, push {; a force push still asks} other {}}. Becomes the rule "{text}" in the settings there',
} as const;
