import { once } from '../../once';
import { bot, botKind } from './bot';

export const TELEGRAM_URL = 'https://api.telegram.org';

/** A bot of Telegram, read by long polling. */
export const telegram = once(() =>
  bot('telegram', {
    form: /^-?\d{1,20}$/,
    error: 'a chat ID is a number written as text, such as "12345678"',
  }),
);
export const TELEGRAM = botKind(TELEGRAM_URL);
