/** English: updates of Holdfast itself. */
export const EN_UPDATES = {
  'settings.section.updates': 'Updates',
  'settings.sub.updates':
    'New versions of Holdfast. Nothing is requested while checks are off. A version is installed only if its list is signed with the key below; running steps finish first, and a version that does not start is rolled back.',
  'setting.updates.mode': 'New versions',
  'setting.updates.feed': 'Address of the signed list',
  'setting.updates.public_key': 'Public key of the list',
  'choice.updates.mode.off': 'Don’t check',
  'choice.updates.mode.check': 'Check once a day',
  'choice.updates.mode.download': 'Also download and verify',
  'choice.updates.mode.install': 'Also install when no turn runs',
  'updates.title': 'This version',
  'updates.unchecked': 'Holdfast {version}. No check for a newer version yet.',
  'updates.current': 'Holdfast {version} is the newest version.',
  'updates.available': 'Holdfast {version} is available.',
  'updates.downloading': 'Downloading Holdfast {version}.',
  'updates.ready': 'Holdfast {version} is downloaded and verified.',
  'updates.waiting':
    'Holdfast {version} is installed when no turn runs. {count, plural, =0 {No turn runs now.} one {# turn runs now.} other {# turns run now.}}',
  'updates.draining':
    'Holdfast {version} is installed when the running steps are done. Unfinished turns resume afterward.',
  'updates.installing': 'Installing Holdfast {version}.',
  'updates.checked': 'Checked {age}',
  'updates.check': 'Check now',
  'updates.whenIdle': 'Install when idle',
  'updates.now': 'Install now',
  'updates.cancel': 'Don’t install yet',
  'updates.last.installed': 'Updated from {first} to {last}.',
  'updates.last.rolled_back':
    '{last} did not start. Holdfast went back to {first} and restored the earlier data.',
  'updates.last.interrupted':
    'The update from {first} to {last} was interrupted. Nothing was changed.',
} as const;
