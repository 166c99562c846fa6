import type { Handlers, VerbsDeps } from './deps';

/** Settings and tools as they are now. */
export function settingVerbs(
  deps: VerbsDeps,
): Handlers<'config.list' | 'config.get' | 'config.set' | 'tools.list'> {
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
    'tools.list': () => Promise.resolve({ tools: [...deps.tools.views(deps.policy())] }),
  };
}
