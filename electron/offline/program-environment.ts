import path from 'node:path';
import { createRedactor } from '../../shared/redact';
import { lazyConf } from '../adapters/config/lazy-conf';
import { createSettings } from '../adapters/config/settings';
import { createSecretsInUse } from '../adapters/secrets/secrets-in-use';
import { buildChildEnvironment, type Environment } from '../adapters/shell/child-environment';
import { noCrashPoints } from '../engine/kernel/crash-points';

/** What a program inherits that a command starts: no secret by the settings of `dataDir` as they are now. S2-+05 */
export function programEnvironment(
  dataDir: string,
  own: Readonly<Record<string, string | undefined>>,
): Environment {
  const settings = createSettings({
    path: path.join(dataDir, 'config.json'),
    storeClass: lazyConf,
    overrides: {},
    env: own,
    crashPoints: noCrashPoints,
    watch: false,
  });
  const secrets = createSecretsInUse({ settings, own, redactor: createRedactor() })(undefined);
  return buildChildEnvironment({ login: undefined, own, declared: [], markers: {}, secrets }).env;
}
