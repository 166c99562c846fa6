import { describe, expect, it } from 'vitest';
import { piecesOf } from '../../../electron/adapters/channels/pieces';
import { readUpdates } from '../../../electron/adapters/channels/telegram';
import { afterMsOf } from '../../../electron/adapters/channels/channel-errors';
import { signature } from '../../../electron/adapters/channels/webhook';
import { planRoute, routeNote } from '../../../electron/engine/replies/plan-route';
import { replyText } from '../../../electron/engine/replies/reply-text';
import type { Channel } from '../../../electron/ports/channel';
import type { ChannelInput } from '../../../renderer/settings/channel-fields';
import { channelOf, draftOf, isComplete } from '../../../renderer/settings/channel-form-view';
import { channels } from '../../../shared/settings/channels';

const channel = (name: string, more: Partial<Channel> = {}): Channel => ({
  name,
  isReady: () => true,
  deliver: () => Promise.resolve(),
  ...more,
});

describe('the form of a channel', () => {
  const rich: readonly ChannelInput[] = [
    {
      kind: 'webhook',
      url: 'https://example.com/hook',
      inbound: true,
      agent: 'coder',
      secret_env: 'TEAM',
      timeout: '5s',
      enabled: false,
    },
    {
      kind: 'telegram',
      chats: ['7', '-8'],
      token_file: '/secret',
      base_url: 'https://bots.example.com',
    },
    {
      kind: 'ntfy',
      topic: 'desk-7f3k',
      reply_topic: 'desk-9q2',
      server: 'https://push.example.com',
      questions: true,
      decide: { people: ['ann'] },
    },
    { kind: 'slack', chats: ['C0123456789'], agent: 'coder', token_env: 'SLACK' },
    { kind: 'discord', chats: ['123456789012345678'] },
    {
      kind: 'mail',
      host: 'smtp.example.com',
      port: 587,
      security: 'starttls',
      user: 'bot',
      from: 'bot@example.com',
      to: ['ann@example.com'],
    },
    { kind: 'command', command: 'say', args: ['-v', 'two words'], env: ['VOICE'], cwd: '/tmp' },
  ];
  it.each(rich.map((one) => [one.kind, one] as const))(
    'S1-02 saves a %s as it was, with what the form does not show',
    (_kind, spec) => {
      const draft = draftOf('mine', spec);
      expect(isComplete(draft)).toBe(true);
      expect(channelOf(draft, spec)).toEqual(spec);
    },
  );

  it.each([
    ['telegram without a chat', { kind: 'telegram' }, false],
    ['telegram with one', { kind: 'telegram', values: { chats: ['7'] } }, true],
    ['Slack without a channel', { kind: 'slack' }, false],
    ['Slack with one', { kind: 'slack', values: { chats: ['C012345'] } }, true],
    ['Discord with one', { kind: 'discord', values: { chats: ['123456'] } }, true],
    ['ntfy without a topic', { kind: 'ntfy', values: { server: 'https://ntfy.sh' } }, false],
    ['ntfy with one', { kind: 'ntfy', values: { topic: 'desk-7f3k' } }, true],
    ['a webhook that does nothing', { kind: 'webhook' }, false],
    ['a webhook that hears', { kind: 'webhook', values: { inbound: true } }, true],
    ['a program', { kind: 'command', values: { command: ' say ' } }, true],
    ['no name', { kind: 'command', values: { command: 'say' }, name: ' ' }, false],
  ] as const)('S1-02 %s can be saved or not', (_what, part, can) => {
    const draft = { ...draftOf('mine', undefined), ...part };
    expect(isComplete(draft)).toBe(can);
    if (can) expect(channels().safeParse({ mine: channelOf(draft, undefined) }).success).toBe(true);
  });
});

describe('the way of an answer', () => {
  const world = [channel('phone'), channel('ci', { speaks: false }), channel('window')];
  it.each([
    ['is there', 'phone', 'window', false, { kind: 'own' }],
    ['is there but down: it waits', 'phone', 'window', false, { kind: 'own' }],
    ['was removed', 'old', 'phone', false, { kind: 'default', why: 'gone' }],
    ['only listens', 'ci', 'phone', false, { kind: 'default', why: 'listens_only' }],
    ['never takes it', 'phone', 'window', true, { kind: 'window', why: 'refused' }],
    ['never takes it and is the default', 'phone', 'phone', true, { kind: 'window' }],
    ['was removed, as the default was', 'old', 'older', false, { kind: 'window', why: 'gone' }],
    ['was removed, the default only listens', 'old', 'ci', false, { kind: 'window' }],
  ] as const)('S1-02 the channel that asked %s', (_what, asked, defaultName, isRefused, route) => {
    expect(planRoute(asked, { channels: world, defaultName, isRefused })).toMatchObject(route);
  });

  it('S1-02 says in one sentence where it belonged', () => {
    expect(routeNote('old', 'anna', 'gone')).toBe(
      'This was asked by anna on the channel "old", which is no longer in the settings.',
    );
  });

  it.each([
    ['completed', '', 'here it is', 'here it is'],
    ['completed', '', '  ', 'Done. The agent gave no answer.'],
    ['failed', 'The key is refused.', '', 'This could not be completed. The key is refused.'],
  ])(
    'S1-02 a turn that is %s (%s) with the answer "%s" says "%s"',
    (state, reason, answer, said) => {
      expect(replyText({ state, reason }, answer)).toBe(said);
    },
  );
});

describe('messages of Telegram', () => {
  it.each([
    ['short', 10, ['short']],
    ['', 10, []],
    ['aaaa bbbb cccc', 10, ['aaaa bbbb', 'cccc']],
    ['aaaaaaa\n\nbb ccc', 10, ['aaaaaaa', 'bb ccc']],
    ['a'.repeat(25), 10, ['a'.repeat(10), 'a'.repeat(10), 'a'.repeat(5)]],
    [`${'a'.repeat(9)}😀b`, 10, ['a'.repeat(9), '😀b']],
  ])(
    'S1-02 cuts %j at %i characters where a word ends, and never inside a character',
    (text, most, pieces) => {
      expect(piecesOf(text, most)).toEqual(pieces);
    },
  );

  it('S2-53 reads texts, captions, files, edits and stickers, and keeps the number of what it does not know', () => {
    const at = (id: number, more: object) => ({ update_id: id, ...more });
    const said = (more: object) => ({ message_id: 1, chat: { id: -7 }, ...more });
    expect(
      readUpdates([
        at(1, { message: said({ text: 'hi' }) }),
        at(2, { message: said({ caption: 'see', document: { file_name: 'a.pdf' } }) }),
        at(3, { edited_message: said({ text: 'hi!' }) }),
        at(4, { message: said({ sticker: {} }) }),
        at(5, { poll: {} }),
        at(6, { message: 'nonsense' }),
        'nonsense',
      ]),
    ).toEqual([
      { id: 1, event: { peer: '-7', event: 'message', text: 'hi' } },
      {
        id: 2,
        event: {
          peer: '-7',
          event: 'message',
          text: 'see',
          media: [{ kind: 'file', name: 'a.pdf' }],
        },
      },
      { id: 3, event: { peer: '-7', event: 'edited', text: 'hi!' } },
      { id: 4, event: { peer: '-7', event: 'sticker' } },
      { id: 5 },
      { id: 6 },
    ]);
    expect(readUpdates({ not: 'a list' })).toEqual([]);
  });
});

describe('a webhook', () => {
  it('S1-02 is signed with HMAC-SHA256 over the seconds, a dot and the body', () => {
    expect(signature('key', 1, 'x')).toBe(
      't=1,v1=fc4913c41a7bf793267e2a384f3261c9436ec2cd097bd745e7b0d99113f510ec',
    );
  });

  it.each([
    ['3', 3_000],
    ['7200', 7_200_000],
    ['Sat, 21 Nov 2026 12:00:30 GMT', 30_000],
    ['Wed, 21 Oct 2015 07:28:00 GMT', undefined],
    ['0', undefined],
    ['-5', undefined],
    ['soon', undefined],
    ['', undefined],
    ['1e9', undefined],
    ['86401', undefined],
    ['99999999999999999999', undefined],
  ])('S1-02 S2-25 that asks for "%s" is left alone for %s ms', (value, ms) => {
    const response = new Response(null, { headers: { 'retry-after': value } });
    expect(afterMsOf(response, Date.parse('2026-11-21T12:00:00Z'))).toBe(ms);
  });
});

describe('the settings of a channel', () => {
  const bot = { kind: 'telegram', token_env: 'BOT', chats: ['7'] };
  it.each([
    ['a bot', { phone: bot }, true],
    ['a bot for nobody', { phone: { ...bot, chats: [] } }, false],
    ['a bot whose token is stored', { phone: { kind: 'telegram', chats: ['7'] } }, true],
    ['a token in two places', { phone: { ...bot, token_file: '/t' } }, false],
    ['a token in the settings', { phone: { ...bot, token: '1:x' } }, false],
    ['a chat that is no number', { phone: { ...bot, chats: ['anna'] } }, false],
    ['a webhook that hears', { ci: { kind: 'webhook', inbound: true } }, true],
    ['a webhook that does nothing', { ci: { kind: 'webhook' } }, false],
    ['a webhook without https', { ci: { kind: 'webhook', url: 'http://example.com/' } }, false],
    [
      'a password in the address',
      { ci: { kind: 'webhook', url: 'https://a:b@example.com/' } },
      false,
    ],
    ['a program', { say: { kind: 'command', command: 'say', args: ['-v'] } }, true],
    ['a topic', { me: { kind: 'ntfy', topic: 'desk' } }, true],
    [
      'a topic with its own name for replies',
      { me: { kind: 'ntfy', topic: 'a', reply_topic: 'a' } },
      false,
    ],
    [
      'a topic with two people',
      { me: { kind: 'ntfy', topic: 'a', reply_topic: 'b', decide: { people: ['x', 'y'] } } },
      false,
    ],
    [
      'answers without a topic',
      { me: { kind: 'ntfy', topic: 'a', decide: { people: ['x'] } } },
      false,
    ],
    ['an app of Slack', { team: { kind: 'slack', chats: ['C0123456789'] } }, true],
    ['a Slack channel by its name', { team: { kind: 'slack', chats: ['#general'] } }, false],
    ['mail', { post: { kind: 'mail', host: 'm.example.com', from: 'a@b.c', to: ['d@e.f'] } }, true],
    [
      'mail without encryption',
      {
        post: {
          kind: 'mail',
          host: 'm.example.com',
          security: 'none',
          from: 'a@b.c',
          to: ['d@e.f'],
        },
      },
      false,
    ],
    [
      'mail with a second header',
      { post: { kind: 'mail', host: 'm.example.com', from: 'a@b.c', to: ['d@e.f\nBcc: x@y.z'] } },
      false,
    ],
    ['a bot of Discord', { team: { kind: 'discord', chats: ['123456789'] } }, true],
    ['a taken name', { window: { kind: 'command', command: 'say' } }, false],
    ['a name with a colon', { 'a:b': { kind: 'command', command: 'say' } }, false],
    ['no time at all', { say: { kind: 'command', command: 'say', timeout: 0 } }, false],
  ])('S1-04 %s', (_what, value, isFine) => {
    expect(channels().safeParse(value).success).toBe(isFine);
  });
});
