import { readNatsCredential } from '../adapters/nats/nats-credential';
import type { SettingsPort } from '../ports/settings';
import type { Redactor } from '../../shared/redact';
import type { NatsSubjects } from '../adapters/nats/nats-subjects';
import type { Core } from './core';

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

/** Subjects that tasks wait for; undefined where no broker is set. GT-02 */
export function natsSubjects(core: Core): Promise<NatsSubjects> | undefined {
  const { settings, disk, records, secrets, world } = core;
  if (settings.get('nats.url') === '') return undefined;
  return import('../adapters/nats/nats-subjects').then(({ createNatsSubjects }) =>
    createNatsSubjects({
      ...world,
      ...records,
      url: settings.get('nats.url'),
      owner: disk.reads.databaseId(),
      credential: () => natsCredential({ settings, ...world, ...secrets }),
    }),
  );
}
