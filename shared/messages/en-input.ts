/** English texts of the exact input of a call. */
export const EN_INPUT = {
  'input.to': 'To',
  'input.cc': 'Copy to',
  'input.bcc': 'Blind copy to',
  'input.from': 'From',
  'input.subject': 'Subject',
  'input.body': 'Text',
  'input.text': 'Text',
  'input.message': 'Message',
  'input.command': 'Command',
  'input.path': 'Path',
  'input.content': 'Content',
  'input.url': 'URL',
  'input.query': 'Query',
  'input.timeout': 'Time limit',
  'input.json': 'Exact input as JSON',
  'input.showJson': 'Show the exact JSON',
  'input.hideJson': 'Hide the JSON',
  'input.copyJson': 'Copy the JSON',
  'input.empty': 'No input.',
  'input.missing':
    'The input is unknown: the model response that made this tool call is no longer saved.',
} as const;
