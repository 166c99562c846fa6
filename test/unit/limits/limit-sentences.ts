import type { LimitWindow } from '../../../shared/limits/read-limit';

/**
 * Sentences as users quote them from Claude Code, Codex, Gemini CLI, opencode and providers: what is
 * used up, and when it ends as seen on Wednesday, 7 October 2026, 14:30 UTC, on a computer in Berlin.
 */
export const NOW_MS = Date.parse('2026-10-07T14:30:00Z');
export const OWN_ZONE = 'Europe/Berlin';

export const SENTENCES: readonly (readonly [string, LimitWindow, string | undefined])[] = [
  // Claude Code
  ["You've hit your session limit · resets 8pm (America/New_York)", 'session', '2026-10-08T00:00Z'],
  ['You’ve hit your session limit · resets 1pm (UTC)', 'session', '2026-10-08T13:00Z'],
  [
    "You've hit your session limit · resets 2:30pm (Pacific/Auckland)",
    'session',
    '2026-10-08T01:30Z',
  ],
  ["You've hit your session limit · resets 8:30pm (Asia/Tokyo)", 'session', '2026-10-08T11:30Z'],
  [
    "You've hit your session limit · resets 10:30pm (Europe/Berlin)",
    'session',
    '2026-10-07T20:30Z',
  ],
  [
    "You've hit your session limit · resets 12:50am (America/Los_Angeles)",
    'session',
    '2026-10-08T07:50Z',
  ],
  [
    "You've hit your session limit · resets 11:50pm (Asia/Riyadh)\n/upgrade to increase your usage limit.",
    'session',
    '2026-10-07T20:50Z',
  ],
  [
    "You've hit your session limit · resets 5:40pm (Europe/Berlin)\n/login to switch to an API usage-billed account.",
    'session',
    '2026-10-07T15:40Z',
  ],
  [
    "[Bug] You've hit your session limit · resets 4:10pm (America/Sao_Paulo)",
    'session',
    '2026-10-07T19:10Z',
  ],
  ["You've hit your session limit · resets 11:30am (Asia/Colombo)", 'session', '2026-10-08T06:00Z'],
  ["You've hit your session limit · resets 3pm (America/Bogota)", 'session', '2026-10-07T20:00Z'],
  ["You've hit your session limit · resets 3:45pm", 'session', '2026-10-08T13:45Z'],
  [
    "Internal error: You've hit your session limit · resets 8pm (America/New_York)",
    'session',
    '2026-10-08T00:00Z',
  ],
  ["You've hit your limit · resets 5pm (Europe/Berlin)", 'other', '2026-10-07T15:00Z'],
  ["You've hit your limit · resets 10pm (Mars/Olympus)", 'other', '2026-10-07T20:00Z'],
  ["You've hit your weekly limit · resets Mon 9am (Asia/Jerusalem)", 'weekly', '2026-10-12T06:00Z'],
  ["You've hit your weekly limit · resets Mon 12:00am", 'weekly', '2026-10-11T22:00Z'],
  ["You've hit your weekly limit · resets Mon", 'weekly', '2026-10-11T22:00Z'],
  ["You've hit your weekly limit · resets Monday", 'weekly', '2026-10-11T22:00Z'],
  [
    "You've hit your weekly limit · resets Oct 11, 4am (Europe/Amsterdam)",
    'weekly',
    '2026-10-11T02:00Z',
  ],
  [
    "You've hit your weekly limit · resets Oct 14 at 1am (Asia/Tokyo)",
    'weekly',
    '2026-10-13T16:00Z',
  ],
  ["You've hit your weekly limit · resets 8pm (Europe/Istanbul)", 'weekly', '2026-10-07T17:00Z'],
  ["You've hit your weekly limit · resets Oct 10 at 3pm", 'weekly', '2026-10-10T13:00Z'],
  ["You've hit your weekly limit · resets Oct 12", 'weekly', '2026-10-11T22:00Z'],
  ["You've hit your weekly limit", 'weekly', undefined],
  ["You've hit your Opus limit · resets Oct 9, 7pm", 'model', '2026-10-09T17:00Z'],
  ["You've reached your Fable limit.", 'model', undefined],
  ['5-hour limit reached ∙ resets 3pm', 'session', '2026-10-08T13:00Z'],
  [
    '5-hour limit reached ∙ resets 3am\n/upgrade to increase your usage limit',
    'session',
    '2026-10-08T01:00Z',
  ],
  [
    "You've hit your 5-hour limit · resets Oct 8 at 1am (Asia/Tokyo)",
    'session',
    '2026-10-07T16:00Z',
  ],
  ['Session limit reached ∙ resets 5:00 PM', 'session', '2026-10-07T15:00Z'],
  ['Session limit reached ∙ resets 9:30pm', 'session', '2026-10-07T19:30Z'],
  ['Weekly limit reached ∙ resets Oct 9, 5pm', 'weekly', '2026-10-09T15:00Z'],
  ['Weekly limit reached', 'weekly', undefined],
  ['Opus weekly limit reached ∙ resets Oct 13, 10am', 'model', '2026-10-13T08:00Z'],
  ['Claude AI usage limit reached|1791396000', 'other', '2026-10-07T18:00Z'],
  ['Claude AI usage limit reached|1791396000000', 'other', '2026-10-07T18:00Z'],
  ['Claude AI usage limit reached|1760000000', 'other', undefined],
  ['Claude usage limit reached. Your limit will reset at 3pm.', 'other', '2026-10-08T13:00Z'],
  [
    'Claude usage limit reached. Your limit will reset at 7pm (Asia/Seoul).',
    'other',
    '2026-10-08T10:00Z',
  ],
  ['Claude Max usage limit reached. Your limit will reset at 12am.', 'other', '2026-10-07T22:00Z'],
  [
    'Usage limit reached · continuing automatically at 5:45pm · esc to cancel',
    'other',
    '2026-10-07T15:45Z',
  ],
  ["You're out of extra usage · resets 4pm.", 'credit', '2026-10-08T14:00Z'],
  ["You're out of extra usage · resets 6pm (America/Chicago)", 'credit', '2026-10-07T23:00Z'],
  ["You're out of extra usage. Please retry later.", 'credit', undefined],
  [
    "You've hit your monthly spend limit · raise it at claude.ai/settings/usage",
    'credit',
    undefined,
  ],
  [
    "API Error: 400 You're out of extra usage. Add more at claude.ai/settings/usage and keep going.",
    'credit',
    undefined,
  ],
  // Codex
  [
    "You've hit your usage limit. Upgrade to Pro (https://openai.com/chatgpt/pricing) or try again in 5 days 22 hours 11 minutes.",
    'other',
    '2026-10-13T12:41Z',
  ],
  [
    "■ You've hit your usage limit. Upgrade to Pro (https://openai.com/chatgpt/pricing) or try again in 4 days 6 hours 37 minutes.",
    'other',
    '2026-10-11T21:07Z',
  ],
  [
    "You've hit your usage limit. Try again in 4 days 20 hours 9 minutes.",
    'other',
    '2026-10-12T10:39Z',
  ],
  ["You've hit your usage limit. Try again at 3:51 PM.", 'other', '2026-10-08T13:51Z'],
  [
    "You've hit your usage limit. Upgrade to Pro or try again at 6:34 AM.",
    'other',
    '2026-10-08T04:34Z',
  ],
  [
    "You've hit your usage limit. Visit https://chatgpt.com/codex/settings/usage to purchase more credits or try again at 11:05 PM.",
    'credit',
    '2026-10-07T21:05Z',
  ],
  [
    "ERROR: You've hit your usage limit. Please try again at Oct 9th, 2026 12:55 AM.",
    'other',
    '2026-10-08T22:55Z',
  ],
  [
    "You've hit your usage limit. Upgrade to Plus to continue using Codex (https://chatgpt.com/explore/plus), or try again at Nov 5th, 2026 8:19 PM.",
    'other',
    '2026-11-05T19:19Z',
  ],
  [
    "You've hit your usage limit. Upgrade your plan to continue, or try again at 10 de oct. de 2026, 11:52.",
    'other',
    '2026-10-10T09:52Z',
  ],
  [
    "You've hit your usage limit. Upgrade to Pro or try again in 4 days 3 hours.",
    'other',
    '2026-10-11T17:30Z',
  ],
  ["You've hit your usage limit. Try again in less than a minute.", 'other', '2026-10-07T14:31Z'],
  ["You've hit your usage limit. Try again later.", 'other', undefined],
  ['The usage limit has been reached', 'other', undefined],
  ['usage limit reached; retry after 30 seconds', 'other', '2026-10-07T14:30:30Z'],
  // Gemini CLI and Google
  [
    'You have exhausted your capacity on this model. Your quota will reset after 42h1m20s.',
    'model',
    '2026-10-09T08:31:20Z',
  ],
  ['TerminalQuotaError: You have exhausted your daily quota on this model.', 'model', undefined],
  ['Your quota will reset after 1h0m0s.', 'other', '2026-10-07T15:30Z'],
  ['HTTP 429: "Your quota will reset after 0s."', 'other', undefined],
  [
    'You have reached the quota limit for this model. You can resume using this model at 10/9/2026 or try again in 2h 13m.',
    'model',
    '2026-10-07T16:43Z',
  ],
  [
    'You exceeded your current quota, please check your plan and billing details. Please retry in 34.07s.',
    'credit',
    '2026-10-07T14:30:34.07Z',
  ],
  [
    'Quota exceeded for quota metric "Gemini 2.5 Pro Requests" and limit "Gemini 2.5 Pro Requests per day per user per tier"',
    'daily',
    undefined,
  ],
  // opencode
  [
    'Free usage exceeded, subscribe to Go [retrying in 8h 13m attempt #1]',
    'other',
    '2026-10-07T22:43Z',
  ],
  [
    'Free usage exceeded, subscribe to Go\nretrying in 6h16m - attempt #1',
    'other',
    '2026-10-07T20:46Z',
  ],
  [
    'Free usage exceeded, subscribe to Go [retrying in 73801s - attempt #1]',
    'other',
    '2026-10-08T11:00:01Z',
  ],
  [
    'Free usage exceeded, add credits https://opencode.ai/zen [retrying in 32m 50s attempt #1]',
    'credit',
    '2026-10-07T15:02:50Z',
  ],
  ['FreeUsageLimitError: Rate limit exceeded. Please try again later.', 'other', undefined],
  // Others
  [
    '5-hour usage limit reached. Resets in 3h. To continue using this model now, enable usage from your balance',
    'session',
    '2026-10-07T17:30Z',
  ],
  ['Weekly usage limit reached. It will reset in 2 days.', 'weekly', '2026-10-09T14:30Z'],
  ['Usage limit reached, resets Thursday at noon (Europe/London)', 'other', '2026-10-08T11:00Z'],
  ['Usage limit reached. (Asia/Kolkata) resets at 21:15', 'other', '2026-10-07T19:15Z'],
  ['usage_limit_reached: try again at 2026-10-08T06:00:00Z', 'other', '2026-10-08T06:00Z'],
  ['Usage limit reached. Your limit resets tomorrow at 9:00 AM PST', 'other', '2026-10-08T17:00Z'],
  ['insufficient_quota', 'credit', undefined],
  ['Your credit balance is too low to access the Anthropic API.', 'credit', undefined],
];

/** Forms of times that are taken for others, or for none, by a reader that is less exact. */
export const TIMES: typeof SENTENCES = [
  // A month, a cycle and a period are no Monday, and no time of day of today.
  [
    "You've hit your usage limit. Your usage limits will reset when your monthly cycle ends on 10/29/2026.",
    'monthly',
    '2026-10-28T23:00Z',
  ],
  ["You've reached your monthly limit. It resets next month.", 'monthly', undefined],
  [
    "You've used all your premium requests. Your allowance resets on the 1st of next month at 00:00 UTC.",
    'other',
    undefined,
  ],
  ['usage limit reached, resets in 1 month', 'other', undefined],
  ['Usage limit reached, resets at the end of your billing cycle, 11:59 PM', 'credit', undefined],
  ['usage limit reached, resets Sept 15, 9am', 'other', '2027-09-15T07:00Z'],
  // Dates in figures, and a date that is not read
  ['Usage limit reached. Resets at 10/9/2026, 7:00:00 PM', 'other', '2026-10-09T17:00Z'],
  ['Usage limit reached. Resets at 29/10/26 19:00', 'other', '2026-10-29T18:00Z'],
  ['Usage limit reached. Resets 10/12 at 3pm UTC', 'other', '2026-10-12T15:00Z'],
  ['Usage limit reached. Resets at 2026/10/09 07:00', 'other', '2026-10-09T05:00Z'],
  ['Usage limit reached. Resets at 9.10.2026, 07:00', 'other', '2026-10-09T05:00Z'],
  ['Usage limit reached. Try again at 9. Oktober 2026 um 11:52', 'other', undefined],
  ['Usage limit reached. Resets at 2026-10-09T07:00:00', 'other', '2026-10-09T05:00Z'],
  ['Usage limit reached. Resets at 2026-10-09 07:00:00 UTC', 'other', '2026-10-09T07:00Z'],
  ['Usage limit reached. Resets at 2026-10-09 07:00:00+00:00', 'other', '2026-10-09T07:00Z'],
  ['Usage limit reached. Resets at 2026-10-09 07:00:00Z', 'other', '2026-10-09T07:00Z'],
  ['Usage limit reached. Resets at 2026-10-09 07:00:00 +0530', 'other', '2026-10-09T01:30Z'],
  ['Usage limit reached. Resets Fri, 09 Oct 2026 07:00:00 -0400', 'other', '2026-10-09T11:00Z'],
  // A countdown is no time of day, and a time of day no countdown.
  ['usage limit reached, resets in 2:14:00', 'other', '2026-10-07T16:44Z'],
  ['usage limit reached, resets in 2:14', 'other', '2026-10-07T16:44Z'],
  ['usage limit reached, resets in 1 day, 2:14:00', 'other', '2026-10-08T16:44Z'],
  ['usage limit reached, resets in 45:00', 'other', undefined],
  ['usage limit reached, try again after 3:00 PM', 'other', '2026-10-08T13:00Z'],
  ['usage limit reached, try again after 21:15', 'other', '2026-10-07T19:15Z'],
  // Zones
  ["You've hit your session limit · resets 3pm (Etc/GMT+5)", 'session', '2026-10-07T20:00Z'],
  ["You've hit your session limit · resets 3pm (UTC-5)", 'session', '2026-10-07T20:00Z'],
  ['Daily quota exceeded. Resets at midnight Pacific time', 'daily', '2026-10-08T07:00Z'],
  ['Daily quota exceeded. It resets at midnight PT.', 'daily', '2026-10-08T07:00Z'],
  ['usage limit reached, resets 9am Eastern', 'other', '2026-10-08T13:00Z'],
  ['usage limit reached, resets 9am Central European Time', 'other', '2026-10-08T07:00Z'],
  ['usage limit reached, resets 9am utc', 'other', '2026-10-08T09:00Z'],
  // Spans: only what stands together at their start
  ['Usage limit reached, resets in 5 hours (100 requests per 1 day)', 'other', '2026-10-07T19:30Z'],
  ['Usage limit reached; retry in 1,234 seconds', 'other', '2026-10-07T14:50:34Z'],
  ['Usage limit reached, resets in 1,5 hours', 'other', '2026-10-07T16:00Z'],
  ['Weekly limit reached, resets in 1 week', 'weekly', '2026-10-14T14:30Z'],
  ['Usage limit reached, resets in one hour', 'other', '2026-10-07T15:30Z'],
  ['Usage limit reached, resets in half an hour', 'other', '2026-10-07T15:00Z'],
  ['Usage limit reached, resets in 1h30', 'other', '2026-10-07T16:00Z'],
  ['Usage limit reached. Please wait 2 hours.', 'other', '2026-10-07T16:30Z'],
  ['Usage limit reached. Please wait until 9:00 PM.', 'other', '2026-10-07T19:00Z'],
  ['Usage limit reached, resets in a few days', 'other', undefined],
  // Seconds since the epoch
  ['Usage limit reached. Resets at 1791483600', 'other', '2026-10-08T18:20Z'],
  ['Usage limit reached {"resets_at":1791483600}', 'other', '2026-10-08T18:20Z'],
];

/** Not usage limits, although they speak of limits. */
export const OTHER_TEXTS: readonly string[] = [
  'Error: max turns reached',
  'the rate limiter in worker.js is wrong',
  'The answer reached the length limit.',
  'The context limit of this model was reached.',
  'prompt is too long: 210000 tokens > 200000 maximum',
  'I have reset the branch at 3pm and will try again.',
  'You have hit your stride.',
  'Request rejected (429) by your gateway, not your usage limit',
  'The recursion limit reached 1000.',
  'API Error: 529 Overloaded',
  'fetch failed',
  '',
];
