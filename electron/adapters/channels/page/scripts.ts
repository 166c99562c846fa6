/** The two scripts that web push needs in a browser. They run there alone, so they are texts here. */

/** Subscribes this browser and shows the result. */
export const SUBSCRIBE_SCRIPT = `'use strict';
const button = document.getElementById('subscribe');
const say = (text) => { document.getElementById('said').textContent = text; };
const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (one) => one.charCodeAt(0));
button.addEventListener('click', async () => {
  button.disabled = true;
  try {
    if (!('serviceWorker' in navigator) || !('PushManager' in window))
      throw new Error('This browser does not support web notifications.');
    if ((await Notification.requestPermission()) !== 'granted')
      throw new Error('Notifications are not allowed for this page.');
    await navigator.serviceWorker.register('/page/worker.js', { scope: '/page/' });
    const { pushManager } = await navigator.serviceWorker.ready;
    const old = await pushManager.getSubscription();
    if (old !== null) await old.unsubscribe();
    const subscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytes(button.dataset.key) });
    const response = await fetch(button.dataset.to, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ token: button.dataset.token, subscription: subscription.toJSON() }),
    });
    const { note } = await response.json();
    if (!response.ok) throw new Error(note);
    say(note);
  } catch (error) {
    say(error.message);
    button.disabled = false;
  }
});
`;

/** Shows pushed notifications, and opens the question's page. It decides nothing. */
export const WORKER_SCRIPT = `'use strict';
self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('push', (event) => {
  const { tag, text, url, isQuiet } = event.data.json();
  const [title, ...rest] = text.split('\\n');
  event.waitUntil(self.registration.showNotification(title, {
    body: rest.join('\\n').trim(),
    tag,
    renotify: isQuiet !== true,
    silent: isQuiet === true,
    requireInteraction: url !== undefined,
    data: { url },
  }));
});
self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const { url } = event.notification.data;
  if (url !== undefined && new URL(url).origin === self.location.origin)
    event.waitUntil(self.clients.openWindow(url));
});
`;
