import { once } from '../../once';
import { bot, botKind } from './bot';

export const SLACK_URL = 'https://slack.com/api';

/** An app of Slack in Socket Mode: it needs no public address. */
export const slack = once(() =>
  bot('slack', {
    form: /^[CDG][A-Z0-9]{2,20}$/,
    error: 'a channel ID looks like "C0123456789"',
  }),
);
export const SLACK = botKind(SLACK_URL);
