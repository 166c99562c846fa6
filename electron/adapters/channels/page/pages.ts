import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import type { Intake, QuestionMessage } from '../../../ports/channel';
import type { OpenPush } from '../../../ports/push';
import { safeUrl } from '../../../../shared/settings/base';
import { signedAnswers } from '../signed-answers';
import { pageHeaders, pageHtml, type PageButton } from './html';
import { SUBSCRIBE_SCRIPT, WORKER_SCRIPT } from './scripts';
import { parsedOutside } from '../../../engine/kernel/json-depth';

/** How a channel uses its pages. */
interface PageWay {
  /** The person whose browser a link subscribes; undefined if it is forged or expired. */
  readonly subscriber: (token: string) => Promise<string | undefined>;
  /** Audits a request with an invalid link. */
  readonly onRefused: () => void;
  /** A browser's subscription is on disk: pending messages are sent. */
  readonly onSubscribed: (person: string) => void;
}

/** A channel whose answers come here. */
export interface ChannelWay {
  readonly intake: Intake;
  /** Absent: no answers are accepted. */
  readonly sign: ((person: string, data: string) => Promise<string>) | undefined;
  /** Absent: it has no pages. */
  readonly page: PageWay | undefined;
}

interface PagesDeps {
  readonly wayOf: (channel: string) => ChannelWay | undefined;
  readonly push: OpenPush;
}

export interface PageAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Path prefix of pages. */
export const PAGES = '/page/';

const subscription = z.strictObject({
  token: z.string().min(1).max(1_000),
  subscription: z.object({
    endpoint: safeUrl(2_000),
    keys: z.object({
      p256dh: z.string().regex(/^[\w-]{80,100}={0,2}$/),
      auth: z.string().regex(/^[\w-]{20,40}={0,2}$/),
    }),
  }),
});

const script = (text: string): PageAnswer => ({
  status: 200,
  text,
  headers: { 'Content-Type': 'text/javascript; charset=utf-8' },
});
const page = (status: number, content: Parameters<typeof pageHtml>[0]): PageAnswer => ({
  status,
  text: pageHtml(content),
  headers: pageHeaders(content.script !== undefined),
});
const GONE = 'This link is not valid. Nothing was done.';
const nothing = (status: number, note: string): PageAnswer =>
  page(status, { title: 'Holdfast', notes: [note] });

/**
 * The pages of channels. A GET shows the page and never decides, because email programs open every
 * link; the answer is a form, checked by the same verb as in the window. PH-03
 */
export async function answerPage(
  { wayOf, push }: PagesDeps,
  request: Pick<IncomingMessage, 'method' | 'headers'>,
  path: string,
  body: () => Promise<string | undefined>,
): Promise<PageAnswer> {
  const isGet = request.method === 'GET';
  if (isGet && path === `${PAGES}subscribe.js`) return script(SUBSCRIBE_SCRIPT);
  if (isGet && path === `${PAGES}worker.js`) return script(WORKER_SCRIPT);
  const [, name = '', token = ''] =
    /^\/page\/([A-Za-z0-9_-]{1,32})(?:\/([^/]{1,1000}))?$/.exec(path) ?? [];
  const way = name === '' ? undefined : wayOf(name);
  if (way?.page === undefined) return nothing(404, GONE);
  const about = { ...way, page: way.page, name };
  if (isGet)
    return token.startsWith('s1.') ? subscribePage(about, push, token) : questionPage(about, token);
  const type = request.headers['content-type'] ?? '';
  const text = await body();
  if (text === undefined) return nothing(413, 'This is too large.');
  return /^application\/json\s*(;|$)/i.test(type)
    ? subscribe(about, push, text)
    : decide(about, new URLSearchParams(text).get('token') ?? '');
}

interface About extends ChannelWay {
  readonly name: string;
  readonly page: PageWay;
}

const buttonsFor = async (
  { sign }: About,
  person: string,
  message: QuestionMessage,
): Promise<readonly PageButton[]> =>
  sign === undefined ? [] : signedAnswers(message, [person], sign);

async function questionPage(about: About, token: string): Promise<PageAnswer> {
  if (about.sign === undefined) return nothing(404, GONE);
  const shown = await about.intake.look({ token });
  switch (shown.kind) {
    case 'refused':
      return nothing(403, shown.note);
    case 'closed':
      return nothing(200, shown.text);
    case 'open': {
      const { facts, input, note, buttons } = shown;
      return page(200, {
        title: 'An agent needs your decision',
        facts,
        ...(note === undefined ? {} : { notes: [note] }),
        ...(input === undefined ? {} : { input }),
        action: `${PAGES}${about.name}`,
        buttons: await buttonsFor(about, shown.person, { text: '', buttons }),
      });
    }
  }
}

async function decide(about: About, token: string): Promise<PageAnswer> {
  if (about.sign === undefined) return nothing(404, GONE);
  const end = await about.intake.answer({ token });
  if (end.kind === 'refused') return nothing(403, end.note);
  const action = `${PAGES}${about.name}`;
  if (end.isNotTaken === true)
    return page(503, {
      title: 'Not saved yet',
      notes: [end.note],
      action,
      buttons: [{ label: 'Try again', token }],
    });
  const { message, note, person } = end;
  const notes = [note, message?.text ?? ''].filter((one) => one !== '');
  return page(200, {
    title: message === undefined || message.buttons.length === 0 ? 'Holdfast' : 'Please confirm',
    notes,
    action,
    buttons: message === undefined ? [] : await buttonsFor(about, person, withoutDetails(message)),
  });
}

/** The page already shows its details. */
const withoutDetails = (message: QuestionMessage): QuestionMessage => ({
  ...message,
  buttons: message.buttons.map((row) => row.filter(({ data }) => !data.startsWith('q1:i:'))),
});

async function subscribePage(about: About, push: OpenPush, token: string): Promise<PageAnswer> {
  const person = await about.page.subscriber(token);
  if (person === undefined) {
    about.page.onRefused();
    return nothing(403, GONE);
  }
  return page(200, {
    title: 'Holdfast notifications',
    notes: [
      `This browser will show the questions and replies of the channel "${about.name}" to ${person}.`,
    ],
    script: {
      src: `${PAGES}subscribe.js`,
      facts: { key: (await (await push()).keys()).publicKey, to: `${PAGES}${about.name}`, token },
    },
  });
}

async function subscribe(about: About, push: OpenPush, text: string): Promise<PageAnswer> {
  const said = (status: number, note: string): PageAnswer => ({
    status,
    text: `${JSON.stringify({ note })}\n`,
    headers: { 'Content-Type': 'application/json' },
  });
  const parsed = subscription.safeParse(parsedOutside(text));
  if (!parsed.success) return said(400, 'This is not a browser subscription.');
  const { token, subscription: browser } = parsed.data;
  const person = await about.page.subscriber(token);
  if (person === undefined) {
    about.page.onRefused();
    return said(403, GONE);
  }
  const subscriptions = await push();
  await subscriptions.add(about.name, { person, endpoint: browser.endpoint, ...browser.keys });
  about.page.onSubscribed(person);
  return said(201, 'This browser is subscribed.');
}
