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
  'input.url': 'Address',
  'input.query': 'Query',
  'input.timeout': 'Time limit',
  'input.json': 'Exact input as JSON',
  'input.showJson': 'Show the exact JSON',
  'input.hideJson': 'Hide the JSON',
  'input.copyJson': 'Copy the JSON',
  'input.empty': 'Nothing was handed in.',
  'input.missing':
    'What was handed in is not known: the answer that asked for it is not on disk any more.',
} as const;
