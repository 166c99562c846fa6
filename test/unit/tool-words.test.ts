import { describe, expect, it } from 'vitest';
import { effectQuestion, effectWords } from '../../shared/tool-words';

describe('what a tool did, in words', () => {
  it.each([
    ['send_email', 'Was the email sent?'],
    ['office.send_email', 'Was the email sent?'],
    ['archive_mail', 'Was the mail archived?'],
    ['forge.create_pr', 'Was the pull request created?'],
    ['deleteFiles', 'Were the files deleted?'],
    ['post-status', 'Was the status posted?'],
    ['add_comment_to_issue', 'Was the comment added?'],
    ['send_sms', 'Was the SMS sent?'],
    ['update_address', 'Was the address updated?'],
    // Nothing is claimed that the name does not say.
    ['send', 'Did send happen?'],
    ['send_to_slack', 'Did send_to_slack happen?'],
    ['create_or_update_file', 'Did create_or_update_file happen?'],
    ['email_send', 'Did email_send happen?'],
    ['mail.frobnicate', 'Did frobnicate happen?'],
    ['send_<b>', 'Did send_<b> happen?'],
    ['send_a_very_long_thing', 'Did send_a_very_long_thing happen?'],
  ])('S0-34 %s asks "%s"', (tool, question) => {
    expect(effectQuestion(tool)).toBe(question);
  });

  it('S0-34 names whom it went to, on one line and cut, if the input says so', () => {
    expect(effectQuestion('mail.send_email', { to: 't.okafor@example.com' })).toBe(
      'Was the email to t.okafor@example.com sent?',
    );
    expect(
      effectQuestion('send_email', { to: ['a@x.example', 'b@x.example', 'c@x.example'] }),
    ).toBe('Was the email to a@x.example and 2 more sent?');
    expect(effectQuestion('send_email', { to: `x\u202e\n${'y'.repeat(99)}` })).toBe(
      `Was the email to x ${'y'.repeat(57)}… sent?`,
    );
    expect(effectQuestion('send_email', 'no object')).toBe('Was the email sent?');
  });

  it('S0-34 the words of the answers fit the 1 thing or the many', () => {
    expect(effectWords('send_email')).toEqual({
      thing: 'email',
      areMany: false,
      done: 'sent',
      again: 'Send',
    });
    expect(effectWords('archive_messages')?.areMany).toBe(true);
  });
});
