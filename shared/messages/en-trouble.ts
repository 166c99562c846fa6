/** English: a page that cannot be shown, and where a window shows what a hint names a command for. */
export const EN_TROUBLE = {
  'pageError.title': 'This page cannot be shown',
  'pageError.about':
    'The window ran into an error. Nothing was changed, saved work is safe, and agents keep working.',
  'pageError.again': 'Try again',
  'pageError.next':
    'If this page still cannot be shown, close this window and open it again from the tray, or run all checks under Settings, Data and diagnostics.',
  'trouble.under': 'under {name}',
  'trouble.place.channels': 'Settings, Channels',
  'trouble.place.data': 'Settings, Data and diagnostics',
  'trouble.place.delivery': 'Events, Delivery',
  'trouble.place.drafts': 'Inbox, Drafts to review',
  'trouble.place.general': 'Settings, General',
  'trouble.place.providers': 'Settings, Providers and keys',
  'trouble.place.updates': 'Settings, Updates',
  'trouble.log': 'See the log and run all checks under Settings, Data and diagnostics',
  'trouble.checks': 'Run all checks under Settings, Data and diagnostics',
  'trouble.checksToo': 'run all checks under Settings, Data and diagnostics',
} as const;
