/** One channel of each kind, as it is written in the settings: to be copied and changed. */
export const CHANNEL_EXAMPLES = [
  {
    kind: 'telegram',
    json: '{"phone": {"kind": "telegram", "token_env": "BOT_TOKEN", "chats": ["12345678"]}}',
  },
  {
    kind: 'webhook',
    json: '{"team": {"kind": "webhook", "url": "https://example.com/hook", "secret_env": "TEAM_SECRET"}}',
  },
  { kind: 'webhook', json: '{"ci": {"kind": "webhook", "inbound": true}}' },
  { kind: 'command', json: '{"say": {"kind": "command", "command": "/usr/local/bin/say-it"}}' },
] as const;
