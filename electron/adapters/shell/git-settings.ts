/** Git settings, as git itself lists them, and those that affect where a push goes. Pure. */

/** One line of `git config --list --show-scope -z`; later ones win, as in git. */
export interface GitSetting {
  /** `system`, `global`, `local`, `worktree`, `command`. */
  readonly scope: string;
  /** In lower case except for the middle part. */
  readonly key: string;
  readonly value: string;
}

export function settingsIn(listed: string): readonly GitSetting[] {
  const parts = listed.split('\0');
  return parts.flatMap((scope, at) => {
    const entry = at % 2 === 0 ? parts[at + 1] : undefined;
    if (entry === undefined) return [];
    const end = entry.indexOf('\n');
    // A key without a value is a switch that is on.
    return end === -1
      ? [{ scope, key: entry, value: 'true' }]
      : [{ scope, key: entry.slice(0, end), value: entry.slice(end + 1) }];
  });
}

export const valueOf = (settings: readonly GitSetting[], key: string): string | undefined =>
  settings.findLast((one) => one.key === key)?.value;

/** Parses a boolean like git; a number or any other word counts as true. */
const isOn = (value: string | undefined): boolean =>
  value !== undefined && !/^(false|no|off|0|)$/i.test(value);

/**
 * Why the address of a remote does not determine where its push or fetch goes: some settings add
 * other destinations, or pass the connection to a program. Undefined if it does. Pure.
 */
export function steeredBy(
  settings: readonly GitSetting[],
  asked: { readonly isPush: boolean; readonly isNamed: boolean },
  name: string,
): string | undefined {
  if (valueOf(settings, `remotes.${name}`) !== undefined)
    return `"${name}" stands for several remotes`;
  if (!asked.isPush && !asked.isNamed && isOn(valueOf(settings, 'fetch.all')))
    return 'git is set up to fetch from all remotes (fetch.all)';
  const recurses = valueOf(settings, 'push.recursesubmodules');
  const isRecursing =
    recurses === undefined
      ? isOn(valueOf(settings, 'submodule.recurse'))
      : recurses !== 'check' && isOn(recurses);
  // The later of the two applies, but one that is on is enough for doubt.
  if (asked.isPush && (isRecursing || isOn(valueOf(settings, 'submodule.recurse'))))
    return 'git is set up to push submodules with it (push.recurseSubmodules)';
  const own = `remote.${name}.`;
  const handed = settings.find(
    ({ key, scope }) =>
      (key.startsWith(own) &&
        /^(vcs|receivepack|uploadpack|proxy|proxyauthmethod)$/.test(key.slice(own.length))) ||
      key === 'core.gitproxy' ||
      ((scope === 'local' || scope === 'worktree') &&
        (key === 'core.sshcommand' || /^http\..*(proxy|ssl|curlopt)/i.test(key))),
  );
  return handed === undefined
    ? undefined
    : `a setting hands the connection to something else (${handed.key.slice(0, 80)})`;
}
