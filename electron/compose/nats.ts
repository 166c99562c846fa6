import { readNatsCredential } from '../adapters/nats/nats-credential';
import type { SettingsPort } from '../ports/settings';
import type { Redactor } from '../../shared/redact';
import type { NatsSubjects } from '../adapters/nats/nats-subjects';
import type { Clock } from '../ports/clock';
import type { Log } from '../ports/log';

interface NatsFacts {
  readonly settings: SettingsPort;
  readonly ownEnvironment: Readonly<Record<string, string | undefined>>;
  readonly redactor: Pick<Redactor, 'learn'>;
}

/** The credential of the broker as the settings name it now; the redactor knows it from then on. */
export const natsCredential = ({ settings, ownEnvironment, redactor }: NatsFacts) =>
  readNatsCredential({
    envName: settings.get('nats.credentials_env'),
    file: settings.get('nats.credentials_file'),
    env: ownEnvironment,
    learnSecret: (value) => {
      redactor.learn(value);
    },
  });

/** Subjects that tasks wait for; undefined where no broker is set. GT-02 */
export function natsSubjects({
  clock,
  log,
  owner,
  ...facts
}: NatsFacts & {
  readonly clock: Clock;
  readonly log: Log;
  /** Id of the database: whose durable consumers they are. */
  readonly owner: string;
}): Promise<NatsSubjects> | undefined {
  const url = facts.settings.get('nats.url');
  if (url === '') return undefined;
  return import('../adapters/nats/nats-subjects').then(({ createNatsSubjects }) =>
    createNatsSubjects({ url, owner, credential: () => natsCredential(facts), clock, log }),
  );
}
