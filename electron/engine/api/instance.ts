import type { Audit } from '../../ports/log';
import type { SettingsPort } from '../../ports/settings';
import type { Handlers } from './handlers';

interface InstanceDeps {
  readonly settings: SettingsPort;
  readonly audit: Audit;
}

/** Settings, the process and its windows. */
export function instanceHandlers(
  deps: InstanceDeps,
): Handlers<'config.list' | 'config.get' | 'config.set'> {
  const { settings } = deps;
  return {
    'config.list': () =>
      Promise.resolve({
        path: settings.path,
        entries: [...settings.entries()],
        problems: [...settings.problems()],
      }),
    'config.get': async ({ key }) => settings.entry(key),
    'config.set': async ({ key, value }, origin) => {
      const entry = await settings.set(key, value);
      deps.audit.record('setting_changed', { key, by: origin });
      return entry;
    },
  };
}
