import { createRedactor } from '../../shared/redact';
import { createSecretsInUse } from '../adapters/secrets/secrets-in-use';
import { buildChildEnvironment, type Environment } from '../adapters/shell/child-environment';
import { ownSettings } from './own-settings';

/**
 * The environment of a program started by a command, without secrets by the current settings of
 * `dataDir`. S2-+05
 */
export function programEnvironment(
  dataDir: string,
  own: Readonly<Record<string, string | undefined>>,
): Environment {
  const settings = ownSettings(dataDir, own);
  const secrets = createSecretsInUse({ settings, own, redactor: createRedactor() })(undefined);
  return buildChildEnvironment({ login: undefined, own, declared: [], markers: {}, secrets }).env;
}
