import { describe, expect, it } from 'vitest';
import { nextLetter, placeOf } from '../../../electron/adapters/channels/mail/inbox';
import {
  readLetter,
  withoutQuotes,
  type Letter,
} from '../../../electron/adapters/channels/mail/read-letter';
import { SLACK } from '../../helpers/slack';

const RULES = {
  from: 'holdfast@example.com',
  to: ['Ann@example.com', 'bob@example.com'],
  writers: ['ann@example.com'],
  auth_server: 'mx.example.com',
};
const TOKEN = `a1.t5x2k0.ann~40example~2Ecom.y.1.0123456789abcdef.${'A'.repeat(43)}`;
const PROVEN = { key: 'authentication-results', value: 'mx.example.com; dkim=pass; dmarc=pass' };
const FROM = { key: 'from', value: 'Ann <ann@example.com>' };
const letter = (more: Partial<Letter> = {}): Letter => ({
  from: 'ann@example.com',
  subject: 'Build it',
  text: 'Please build it.',
  headers: [PROVEN, FROM],
  attachments: [],
  ...more,
});

describe('a letter', () => {
  it.each<[string, Partial<Letter>, object]>([
    [
      'an answer, by the token of its subject',
      { subject: `Allow once ${TOKEN}` },
      { kind: 'answer', token: TOKEN, person: 'Ann@example.com' },
    ],
    [
      'an answer of somebody else: the token tells',
      { from: 'eve@example.org', subject: TOKEN },
      { kind: 'answer', token: TOKEN, person: 'eve@example.org' },
    ],
    [
      'no answer where the token is quoted in the text',
      { from: 'bob@example.com', subject: 'Re: Allow?', text: `> ${TOKEN}` },
      { kind: 'other' },
    ],
    [
      'work of a listed writer',
      {},
      {
        kind: 'message',
        peer: 'Ann@example.com',
        event: { event: 'message', text: 'Build it\n\nPlease build it.' },
      },
    ],
    [
      'a reply, without its title and what it quotes',
      { subject: 'Re: Holdfast: done', text: 'Go on.\n\nOn Monday, Holdfast wrote:\n> done\n' },
      { kind: 'message', event: { text: 'Go on.' } },
    ],
    ['not of a person who may only read', { from: 'bob@example.com' }, { kind: 'other' }],
    ['not of itself', { from: 'HOLDFAST@example.com', subject: TOKEN }, { kind: 'other' }],
    [
      'not of a program',
      { headers: [PROVEN, FROM, { key: 'auto-submitted', value: 'auto-replied' }] },
      { kind: 'other' },
    ],
    [
      'not of a list',
      { headers: [PROVEN, FROM, { key: 'precedence', value: 'bulk' }] },
      { kind: 'other' },
    ],
    ['nothing without an address', { from: '' }, { kind: 'other' }],
  ])('CH-02 PH-03 is %s', (_what, more, meaning) => {
    expect(readLetter(letter(more), RULES)).toMatchObject(meaning);
  });

  it.each<[string, string[]]>([
    ['no word of the mail server', []],
    ['another server', ['mx.example.org; dmarc=pass']],
    ['a failure', ['mx.example.com; dmarc=fail']],
    ['a pass of something else', ['mx.example.com; spf=pass; dkim=pass']],
    ['a pass in a comment', ['mx.example.com; dmarc=fail (dmarc=pass)']],
    [
      'a pass that the letter brought with it, under the server’s own',
      ['mx.example.com; dmarc=none', 'mx.example.com; dmarc=pass'],
    ],
    ['a longer word', ['mx.example.com; dmarc=passed']],
    [
      'a pass in the quoted name of a mailbox, which anybody chooses,',
      ['mx.example.com; spf=pass smtp.mailfrom="x; dmarc=pass y"@evil.example; dmarc=fail'],
    ],
    [
      'a pass in a quoted name alone',
      ['mx.example.com; spf=pass smtp.mailfrom="x; dmarc=pass y"@evil.example'],
    ],
    [
      'a pass in a quoted name with a quoted quote',
      ['mx.example.com; spf=pass smtp.mailfrom="x\\"; dmarc=pass y"@evil.example'],
    ],
    [
      'a pass that a parenthesis in a name lets out of its comment',
      [
        'mx.example.com; spf=pass (domain of "a); dmarc=pass (b("@evil.example permits 192.0.2.1); dmarc=fail',
      ],
    ],
    ['a pass in a comment in a comment', ['mx.example.com; dmarc=fail (x (dmarc=pass) y)']],
    ['a pass beside a failure', ['mx.example.com; dmarc=pass; dmarc=fail']],
    [
      'a pass for another sender',
      ['mx.example.com; dkim=pass; dmarc=pass (p=none) header.from=evil.example'],
    ],
  ])('CH-02 starts no work where %s speaks for its sender', (_what, values) => {
    const headers = [FROM, ...values.map((value) => ({ key: 'authentication-results', value }))];
    expect(readLetter(letter({ headers }), RULES)).toEqual({
      kind: 'not_proven',
      peer: 'Ann@example.com',
    });
  });

  it.each([
    ['two senders in one header', ['ann@example.com, evil@evil.example']],
    ['two addresses for one sender', ['<ann@example.com> <evil@evil.example>']],
    ['an address behind the sender', ['<ann@example.com>evil@evil.example']],
    ['a group of senders', ['team: ann@example.com;, evil@evil.example']],
    ['another address as the name', ['"evil@evil.example" <ann@example.com>']],
    ['two headers', ['ann@example.com', 'evil@evil.example']],
    ['two headers, the other one first', ['evil@evil.example', 'ann@example.com']],
    ['no header', []],
  ])('CH-02 starts no work where servers may read another sender: %s', (_what, values) => {
    const headers = [PROVEN, ...values.map((value) => ({ key: 'from', value }))];
    expect(readLetter(letter({ headers }), RULES)).toMatchObject({ kind: 'not_proven' });
  });

  it.each([
    ['ann@example.com', 'mx.example.com; dmarc=pass'],
    [
      '"Doe, Ann" <Ann@Example.com>',
      'mx.example.com 1; spf=none; dmarc=pass (p=none) header.from=example.com',
    ],
    [
      'ann@example.com <ann@example.com>',
      'mx.example.com; dmarc=pass action=none header.from=Example.COM',
    ],
    [
      'Ann (at work) <ann@example.com>',
      'mx.example.com; spf=pass smtp.mailfrom="a;b"@example.com; dmarc=pass',
    ],
  ])('CH-02 starts work of a proven writer: %s, %s', (from, value) => {
    const headers = [
      { key: 'authentication-results', value },
      { key: 'from', value: from },
    ];
    expect(readLetter(letter({ headers }), RULES)).toMatchObject({ kind: 'message' });
  });

  it('CH-02 names what is attached, and leaves quotes and the signature out', () => {
    const attachments = [
      { name: 'plan.png', type: 'image/png' },
      { name: 'a.bin', type: 'application/x' },
    ];
    expect(readLetter(letter({ attachments, text: '' }), RULES)).toMatchObject({
      event: {
        text: 'Build it',
        media: [
          { kind: 'image', name: 'plan.png' },
          { kind: 'file', name: 'a.bin' },
        ],
      },
    });
    expect(withoutQuotes('Yes:\r\n\r\n> old\r\nthen\r\n-- \r\nAnn')).toBe('then');
    expect(withoutQuotes('Do this:\n- one\n- two')).toBe('Do this:\n- one\n- two');
  });
});

describe('T6 the text of a letter that is made to be slow', () => {
  it.each([
    ['empty lines', '\n'.repeat(128_000)],
    [
      'empty lines under a line that ends like a quote',
      `On Monday, Ann wrote:${'\n'.repeat(128_000)}`,
    ],
    ['lines that all end like a quote', 'a:\n \n'.repeat(25_000)],
    ['one line of colons', ': '.repeat(64_000)],
  ])('CH-02 is read at once: %s', (_what, text) => {
    const startMs = performance.now();
    withoutQuotes(text);
    expect(performance.now() - startMs).toBeLessThan(1_000 * SLACK);
  });
});

describe('the place in a mailbox', () => {
  it('CH-02 is found again in the same mailbox, and not in another', () => {
    const place = placeOf(1_700_000_001n, 4_294_967_295);
    expect(Number.isSafeInteger(place)).toBe(true);
    expect(nextLetter(1_700_000_001n, place)).toBe(4_294_967_296);
    expect(nextLetter(1_700_000_002n, place)).toBeUndefined();
    expect(nextLetter(1n, undefined)).toBeUndefined();
    expect(nextLetter(1n, placeOf(1n, 0))).toBe(1);
  });
});
