import { readNatsCredential } from '../adapters/nats/nats-credential';
import type { SettingsPort } from '../ports/settings';
import type { Redactor } from '../../shared/redact';

/** The credential of the broker as the settings name it now; the redactor knows it from then on. */
export const natsCredential = ({
  settings,
  ownEnvironment,
  redactor,
}: {
  readonly settings: Pick<SettingsPort, 'get'>;
  readonly ownEnvironment: Readonly<Record<string, string | undefined>>;
  readonly redactor: Pick<Redactor, 'learn'>;
}) =>
  readNatsCredential({
    envName: settings.get('nats.credentials_env'),
    file: settings.get('nats.credentials_file'),
    env: ownEnvironment,
    learnSecret: (value) => {
      redactor.learn(value);
    },
  });
