/** The broker as the settings name it. */
import type { Redactor } from '../../../shared/redact';
import type { Broker } from '../../ports/broker';
import type { Basics } from '../../engine/kernel/basics';
import type { Ids } from '../../ports/ids';
import type { SettingsPort } from '../../ports/settings';
import { createNatsBroker } from './nats-broker';
import { readNatsCredential, watchNatsCredential, type NatsCredential } from './nats-credential';
import type { NatsSubjects } from './nats-subjects';

interface BrokerFacts extends Pick<Basics, 'clock' | 'log'> {
  readonly settings: Pick<SettingsPort, 'get'>;
  readonly ownEnvironment: Readonly<Record<string, string | undefined>>;
  readonly redactor: Pick<Redactor, 'learn'>;
}

/** Read again for each connection; the redactor knows it from then on. */
const credentialOf = ({
  settings,
  ownEnvironment,
  redactor,
}: BrokerFacts): Promise<NatsCredential | undefined> =>
  readNatsCredential({
    envName: settings.get('nats.credentials_env'),
    file: settings.get('nats.credentials_file'),
    env: ownEnvironment,
    learnSecret: (value) => {
      redactor.learn(value);
    },
  });

/** Undefined if no broker is set. */
export function brokerBySettings(
  facts: BrokerFacts & { readonly ids: Pick<Ids, 'random'> },
): (() => Broker) | undefined {
  const { settings, clock, log, ids, ownEnvironment } = facts;
  if (settings.get('nats.url') === '') return undefined;
  return () =>
    createNatsBroker({
      url: settings.get('nats.url'),
      stream: settings.get('nats.stream'),
      subjects: settings.get('nats.subjects'),
      replicas: settings.get('nats.replicas'),
      onCredentialChange: (listener) =>
        watchNatsCredential(
          { file: settings.get('nats.credentials_file'), env: ownEnvironment },
          listener,
        ),
      credential: () => credentialOf(facts),
      clock,
      random: () => ids.random(),
      log,
    });
}

/** Subjects that tasks wait for; undefined if no broker is set. `owner` names the durable consumers. GT-02 */
export function subjectsBySettings(
  facts: BrokerFacts,
  owner: string,
  onProblem: (problem: string | undefined) => void,
): Promise<NatsSubjects> | undefined {
  const url = facts.settings.get('nats.url');
  if (url === '') return undefined;
  const { clock, log } = facts;
  return import('./nats-subjects').then(({ createNatsSubjects }) =>
    createNatsSubjects({
      url,
      owner,
      credential: () => credentialOf(facts),
      clock,
      log,
      onProblem,
    }),
  );
}
