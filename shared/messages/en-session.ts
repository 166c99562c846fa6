/** Sessions: answers as Markdown, tool calls that open, the menu of a session. */
export const EN_SESSION = {
  'markdown.table': 'Table',
  'markdown.code': 'Code',
  'markdown.copyCode': 'Copy code',
  'markdown.copyAnswer': 'Copy answer as Markdown',
  'markdown.opens': 'Asks before it opens {text}',
  'markdown.picture': 'Picture: {text}',
  'tool.live': 'Output so far',
  'tool.output': 'Output',
  'tool.noOutput': 'No output.',
  'tool.exitCode': 'exit code {number}',
  'tool.showAll': 'Show all',
  'tool.showLines': 'Show all {count} lines',
  'tool.wrote': 'Wrote',
  'tool.changes': 'Changes in',
  'tool.openTurn': 'Open turn {id}',
} as const;
