import type { INSTANCE_VERBS } from '../../../shared/contract/instance';
import type { Basics } from '../kernel/basics';
import { HoldfastError } from '../kernel/errors';
import type { foreseeStart } from '../recovery/recover-at-start';
import type { QuitWhenDone } from '../turns/quit-when-done';
import type { Desktop, DesktopVerb } from './desktop';
import type { Handlers } from './handlers';

interface InstanceDeps extends Pick<Basics, 'settings' | 'audit' | 'log'> {
  readonly budgets: { check(key: string, value: unknown): void };
  readonly awake: { letSleep(by: string): boolean };
  readonly quitWhenDone: QuitWhenDone;
  /** What the next start would do with the unfinished turns. */
  readonly foresee: () => ReturnType<typeof foreseeStart>;
  readonly requestStop: (reason: 'stop' | 'takeover') => void;
  /** Ends this process as a crash would, once the answer has been sent. */
  readonly crash: () => void;
  /** Undefined without windows. */
  readonly desktop: Pick<Desktop, 'handle'> | undefined;
}

/** Settings, the process and its windows. */
export function instanceHandlers(deps: InstanceDeps): Handlers<keyof typeof INSTANCE_VERBS> {
  return { ...settingHandlers(deps), ...processHandlers(deps), ...windowHandlers(deps) };
}

function settingHandlers({
  settings,
  audit,
  budgets,
}: InstanceDeps): Handlers<'config.list' | 'config.get' | 'config.set'> {
  return {
    'config.list': () =>
      Promise.resolve({
        path: settings.path,
        entries: [...settings.entries()],
        problems: [...settings.problems()],
      }),
    'config.get': async ({ key }) => settings.entry(key),
    'config.set': async ({ key, value }, origin) => {
      budgets.check(key, value);
      const entry = await settings.set(key, value);
      audit.record('setting_changed', { key, by: origin });
      return entry;
    },
  };
}

function processHandlers(
  deps: InstanceDeps,
): Handlers<
  | 'practice.kill'
  | 'instance.foresee'
  | 'instance.letSleep'
  | 'instance.quitWhenDone'
  | 'instance.stop'
> {
  const { log, audit, quitWhenDone } = deps;
  return {
    'practice.kill': () => {
      audit.record('practice_kill', {});
      deps.crash();
      return Promise.resolve({ ok: true });
    },
    'instance.foresee': () => {
      const foreseen = deps.foresee();
      const isAsked = foreseen.ask + foreseen.discard > 0;
      const steps = quitWhenDone.steps().filter(({ isEffect }) => isEffect || isAsked);
      return Promise.resolve({ ...foreseen, atWork: steps.length });
    },
    'instance.letSleep': (_input, origin) =>
      Promise.resolve({ ok: true, wasHeld: deps.awake.letSleep(origin) }),
    'instance.quitWhenDone': ({ isWanted }) => {
      if (isWanted) quitWhenDone.want();
      else quitWhenDone.takeBack();
      log.info('quit.when_done', { isWanted });
      return Promise.resolve({
        ok: true,
        isWanted: quitWhenDone.isWanted(),
        steps: [...quitWhenDone.steps()],
      });
    },
    'instance.stop': ({ reason }) => {
      const { resume, ask, discard } = deps.foresee();
      deps.requestStop(reason);
      return Promise.resolve({
        ok: true,
        willResume: resume,
        ...(ask === 0 ? {} : { willAsk: ask }),
        ...(discard === 0 ? {} : { willDiscard: discard }),
      });
    },
  };
}

/** Available only in a host with windows; others return an error. */
function windowHandlers({ desktop }: InstanceDeps): Handlers<DesktopVerb> {
  const ask: Desktop['handle'] = async (verb, input, origin) => {
    if (desktop !== undefined) return desktop.handle(verb, input, origin);
    throw new HoldfastError('VERB_UNKNOWN', 'This Holdfast is running without windows.', {
      hint: 'Nothing was done. Start the app to use windows.',
    });
  };
  return {
    'app.info': (input, origin) => ask('app.info', input, origin),
    'app.landing': (input, origin) => ask('app.landing', input, origin),
    'app.place': (input, origin) => ask('app.place', input, origin),
    'app.settled': (input, origin) => ask('app.settled', input, origin),
    'app.remind': (input, origin) => ask('app.remind', input, origin),
    'app.choosePath': (input, origin) => ask('app.choosePath', input, origin),
    'app.openFolder': (input, origin) => ask('app.openFolder', input, origin),
    'app.openLink': (input, origin) => ask('app.openLink', input, origin),
    'app.openWorkspace': (input, origin) => ask('app.openWorkspace', input, origin),
    'app.saveText': (input, origin) => ask('app.saveText', input, origin),
    'app.savePatch': (input, origin) => ask('app.savePatch', input, origin),
    'app.openPage': (input, origin) => ask('app.openPage', input, origin),
    'app.openSettings': (input, origin) => ask('app.openSettings', input, origin),
    'app.answerQuit': (input, origin) => ask('app.answerQuit', input, origin),
    'app.testNotification': (input, origin) => ask('app.testNotification', input, origin),
    'instance.focus': (input, origin) => ask('instance.focus', input, origin),
  };
}
