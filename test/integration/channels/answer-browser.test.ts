/** Web push in a real Chromium: its page, its worker, what it shows and what a press opens. */
import path from 'node:path';
import { chromium, type BrowserContext, type Page, type Worker } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { startReceiver, type FakeReceiver } from '../../helpers/fake-outside';
import { createPushBrowser } from '../../helpers/push-browser';
import { isLeftOut } from '../../helpers/skips';
import { turnIn } from '../../helpers/compose-world';
import { CHROMIUM } from '../browser/browser-world';
import { createAskingWorld, effectsIn, type AskingWorld } from './questions-world';

let world: AskingWorld;
let service: FakeReceiver;
let context: BrowserContext;
afterEach(async () => {
  await context?.close();
  await world.site.end();
  await service.down();
});

const keys = createPushBrowser();

/** What of a worker's world is used here. */
interface WorkerScope extends EventTarget {
  readonly registration: ServiceWorkerRegistration;
  shown: Promise<void>;
  readonly clients: { openWindow: (url: string) => Promise<null> };
  readonly NotificationEvent: new (
    type: string,
    facts: { readonly notification: Notification | undefined },
  ) => Event;
}
const SLOW = { timeout: 60_000 };

async function openChromium(): Promise<Page> {
  context = await chromium.launchPersistentContext(path.join(world.site.world.outside, 'profile'), {
    executablePath: CHROMIUM.kind === 'found' ? CHROMIUM.path : '',
    ...SLOW,
  });
  // The push service of its maker is out of reach: what it would say stands here, and nothing else does.
  await context.addInitScript(
    ({ endpoint, own }) => {
      PushManager.prototype.getSubscription = () => Promise.resolve(null);
      PushManager.prototype.subscribe = () =>
        Promise.resolve({
          toJSON: () => ({ endpoint, keys: own }),
        } as unknown as PushSubscription);
    },
    { endpoint: service.url, own: keys.keys },
  );
  return context.newPage();
}

/**
 * Brings what was posted to the push service to the worker, as the service does, and waits until it is shown.
 * A Chromium that is asked for its notifications while it shows one takes that one for gone, and forgets it.
 */
async function deliver(page: Page, worker: Worker, text: string): Promise<void> {
  await worker.evaluate(() => {
    const scope = self as unknown as WorkerScope;
    const { registration } = scope;
    const show = registration.showNotification.bind(registration);
    scope.shown = new Promise((resolve) => {
      registration.showNotification = async (...facts) => {
        await show(...facts);
        resolve();
      };
    });
  });
  const cdp = await context.newCDPSession(page);
  const registered = new Promise<string>((resolve) => {
    cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const found = registrations.find(({ isDeleted }) => !isDeleted);
      if (found !== undefined) resolve(found.registrationId);
    });
  });
  await cdp.send('ServiceWorker.enable');
  await cdp.send('ServiceWorker.deliverPushMessage', {
    origin: new URL(page.url()).origin,
    registrationId: await registered,
    data: text,
  });
  await worker.evaluate(() => (self as unknown as WorkerScope).shown);
  await cdp.detach();
}

const shownIn = (worker: Worker) =>
  worker.evaluate(async () => {
    const { registration } = self as unknown as WorkerScope;
    const all = await registration.getNotifications();
    return all.map(({ title, body, tag, silent }) => ({ title, body, tag, silent }));
  });

/** A press on the notification; a worker may open a window for a press of a person only, so its wish is returned. */
const press = (worker: Worker) =>
  worker.evaluate(async () => {
    const scope = self as unknown as WorkerScope;
    const [notification] = await scope.registration.getNotifications();
    const wished = new Promise<string>((resolve) => {
      scope.clients.openWindow = (url) => {
        resolve(url);
        return Promise.resolve(null);
      };
    });
    scope.dispatchEvent(new scope.NotificationEvent('notificationclick', { notification }));
    return wished;
  });

describe.skipIf(isLeftOut('web push in a browser', CHROMIUM.kind !== 'found' && 'no Chromium'))(
  'web push in Chromium',
  () => {
    it('CH-01 PH-03 a press on Subscribe registers the worker; it shows the question with its facts, a press opens its page, two presses there decide once, and the end replaces what is shown, quietly', async () => {
      service = await startReceiver();
      world = createAskingWorld({
        browser: {
          kind: 'webpush',
          contact: 'ann@example.com',
          questions: true,
          show_input: true,
          decide: { people: ['ann'] },
        },
      });
      const life = await world.start();
      const { url } = await life.holdfast.call('channels.link', { name: 'browser' }, 'test');
      const page = await openChromium();
      await context.grantPermissions(['notifications'], { origin: new URL(url).origin });
      const working = context.waitForEvent('serviceworker', SLOW);
      await page.goto(url, SLOW);
      await page.getByRole('button', { name: /subscribe/i }).click(SLOW);
      const worker = await working;
      await page.getByText('This browser is subscribed.').waitFor(SLOW);

      const requestId = await world.asks(life);
      const posted = (at: number) => JSON.stringify(keys.read(service.posted[at]!.bytes));
      await expect.poll(() => service.posted.length, SLOW).toBe(1);
      await deliver(page, worker, posted(0));
      const [asked, ...others] = await shownIn(worker);
      expect(others).toEqual([]);
      expect(asked).toMatchObject({ silent: false });
      expect(`${asked!.title}\n${asked!.body}`).toContain('send_email');

      const answers = await context.newPage();
      await answers.goto(await press(worker), SLOW);
      await answers.getByText('a@example.org').first().waitFor(SLOW);
      await answers.getByRole('button', { name: 'Allow once', exact: true }).click(SLOW);
      expect(effectsIn(world.site)).toBe(0);
      await answers.getByRole('button', { name: 'Yes, allow once' }).click(SLOW);
      await answers.getByText('Allowed once on browser.').waitFor(SLOW);
      const { requests } = await life.holdfast.call(
        'approvals.list',
        { includeAnswered: true },
        'test',
      );
      const answered = requests.find((one) => one.requestId === requestId);
      expect(answered).toMatchObject({ answer: 'allowed', by: 'channel:browser:ann' });
      await turnIn(life, answered?.turnId ?? 0, ['completed']);
      expect(effectsIn(world.site)).toBe(1);

      await expect.poll(() => service.posted.length, SLOW).toBeGreaterThanOrEqual(2);
      await deliver(page, worker, posted(1));
      expect(await shownIn(worker)).toMatchObject([{ tag: asked!.tag, silent: true }]);
    });
  },
);
