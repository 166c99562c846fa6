/** English: setting up agents and providers in the windows. */
export const EN_SETUP = {
  'watch.adds':
    '{count, plural, =0 {Changes} one {Adds # line to} other {Adds # lines to}} {file}. The old file is saved next to it.',
  'watch.lines': 'Lines that are added',
  'watch.removedLines': 'Lines that are removed',
  'watch.add': 'Add them',
  'watch.adding': 'Adding and trying them …',
  'watch.installed': 'The hooks are in {file}.',
  'watch.answered': 'A hook answered in {duration}.',
  'watch.notAnswered': 'The hooks are added, but a hook did not answer when it was tried.',
  'watch.reported': 'Last report from a terminal: {age} ago.',
  'watch.noReport': 'No terminal has reported yet. Start a new Claude Code session in a terminal.',
  'watch.remove': 'Remove the hooks …',
  'watch.removeNow': 'Remove them',
  'watch.unreadable': 'Holdfast cannot read {file}:',
  'watch.fix': 'Nothing was changed. Fix the file, then look again.',
  'adapter.needs': 'Holdfast talks to it through an adapter. This command installs it:',
  'adapter.install': 'Install adapter',
  'adapter.installing': 'Installing. This may take a minute.',
  'adapter.failed': 'The adapter was not installed.',
  'adapter.output': 'Output of npm',
} as const;
