import { once } from '../../once';
import { bot, botKind } from './bot';

export const DISCORD_URL = 'https://discord.com/api/v10';

/** A bot of Discord, at its gateway. */
export const discord = once(() =>
  bot('discord', { form: /^\d{5,20}$/, error: 'a channel ID is a number written as text' }),
);
export const DISCORD = botKind(DISCORD_URL);
