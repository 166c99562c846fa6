/** Sessions: answers as Markdown, tool calls that open, the menu of a session. */
export const EN_SESSION = {
  'markdown.table': 'Table',
  'markdown.code': 'Code',
  'markdown.copyCode': 'Copy code',
  'markdown.copyAnswer': 'Copy answer as Markdown',
  'markdown.opens': 'Asks before it opens {text}',
  'markdown.picture': 'Picture: {text}',
} as const;
