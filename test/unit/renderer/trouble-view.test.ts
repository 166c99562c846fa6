import { describe, expect, it } from 'vitest';
import { inWindow, troubleText } from '../../../renderer/parts/trouble-view';
import { ERROR_CODES } from '../../../shared/error-codes';

describe('the next step of an error in a window', () => {
  it.each([
    ['List sessions with "holdfast sessions list".', 'List sessions under Sessions.'],
    [
      'Nothing was changed. List them: holdfast channels list',
      'Nothing was changed. List them under Settings, Channels.',
    ],
    ['See its progress: holdfast turns show 12', 'See its progress under Sessions.'],
    [
      'Nothing was changed. "holdfast turns show" lists the steps.',
      'Nothing was changed. Sessions lists the steps.',
    ],
    [
      'See "holdfast share status" for the reason, and server.log in the folder share/store of the data directory.',
      'See Computers for the reason, and server.log in the folder share/store of the data directory.',
    ],
    [
      'Look at "holdfast logs" for the details, and run "holdfast doctor".',
      'See the log and run all checks under Settings, Data and diagnostics.',
    ],
    // What changes something, or is about another computer, stays a command.
    ['Leave it with "holdfast share leave" first.', 'Leave it with "holdfast share leave" first.'],
    ['Ask it: holdfast inbox list --host box', 'Ask it: holdfast inbox list --host box.'],
    ['See "holdfast constructor list".', 'See "holdfast constructor list".'],
  ])('S2-30 %s', (hint, told) => {
    expect(inWindow(hint)).toBe(told);
  });

  it.each(ERROR_CODES)('S2-30 %s names no command that only lists something', (code) => {
    const { next } = troubleText({ code, message: '' });
    expect(next).not.toMatch(/holdfast [a-z]+ (?:list|show|status)\b/);
    expect(next).not.toMatch(/holdfast (?:logs|doctor)\b/);
  });
});
