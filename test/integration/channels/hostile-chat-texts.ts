/** What an agent may say to a chat so that it looks like something else there. */
export const HOSTILE_TEXTS: readonly (readonly [string, string])[] = [
  ['mentions', 'do <!channel> and <@U0000000001> and @everyone now'],
  ['marks and links', '**bold** [click](https://evil.example) <https://evil.example|good>'],
  ['markup of a page', '<img src=x onerror=alert(1)> & </b>'],
];
