import type { Desktop, DesktopVerb } from './options';
import type { Handlers } from '../engine/api/handlers';
import { HoldfastError } from '../engine/kernel/errors';

/** What only a host with windows can do; any other says so. */
export function desktopVerbs(desktop: Desktop | undefined): Handlers<DesktopVerb> {
  const none = (): never => {
    throw new HoldfastError('VERB_UNKNOWN', 'This Holdfast runs without windows.', {
      hint: 'Nothing was done. Start the app to use windows.',
    });
  };
  const via = <V extends Parameters<Desktop['handle']>[0]>(verb: V): Handlers<V>[V] =>
    ((input: never, origin: never) =>
      desktop === undefined
        ? Promise.resolve().then(none)
        : desktop.handle(verb, input, origin)) as never;
  return {
    'app.info': via('app.info'),
    'app.landing': via('app.landing'),
    'app.place': via('app.place'),
    'app.settled': via('app.settled'),
    'app.remind': via('app.remind'),
    'app.openFolder': via('app.openFolder'),
    'app.openSettings': via('app.openSettings'),
    'app.testNotification': via('app.testNotification'),
    'instance.focus': via('instance.focus'),
  };
}
