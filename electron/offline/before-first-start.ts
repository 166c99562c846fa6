/** Answers if Holdfast has never started. */
import os from 'node:os';
import { version as ownVersion } from '../../package.json';
import { findBrowser } from '../adapters/browser/find-browser';
import { createDoctorFacts } from '../adapters/doctor/doctor-facts';
import { createReportHider } from '../adapters/secrets/report-hider';
import { createSecretsInUse } from '../adapters/secrets/secrets-in-use';
import { createLoginEnvironment } from '../adapters/shell/login-environment';
import type { OpenedData } from '../cli/io';
import { callVerb } from '../engine/api/create-facade';
import type { Handlers } from '../engine/api/handlers';
import { HoldfastError } from '../engine/kernel/errors';
import { runEarlyDoctor } from '../engine/status/doctor';
import { VERBS, type VerbInput } from '../../shared/contract';
import { createRedactor } from '../../shared/redact';
import { ownSettings } from './own-settings';

const DETECT_MS = 45_000;

/**
 * Available before the first start: the settings, which may be written earlier (S0-07), the
 * programs of this computer, and the setup check. Queries create nothing.
 */
export function openUnstarted(dataDir: string): OpenedData {
  const settings = ownSettings(dataDir, process.env);
  const noData = (): HoldfastError =>
    new HoldfastError('NOT_RUNNING', `No Holdfast data was found in ${dataDir} yet.`, {
      hint: 'Only the settings are there. Start Holdfast once, then ask again.',
    });
  const redactor = createRedactor();
  const loginEnvironment = createLoginEnvironment({
    own: process.env,
    secrets: createSecretsInUse({ settings, own: process.env, redactor }),
  });
  const answered: Pick<Handlers, 'config.list' | 'config.get' | 'agents.detect' | 'doctor.run'> = {
    'config.list': () =>
      Promise.resolve({
        path: settings.path,
        entries: [...settings.entries()],
        problems: [...settings.problems()],
      }),
    'config.get': async ({ key }: VerbInput<'config.get'>) => Promise.resolve(settings.entry(key)),
    async 'agents.detect'() {
      const { detectAgents } = await import('../adapters/acp/detect');
      const agents = await detectAgents({
        loginEnvironment,
        ownEnvironment: process.env,
        cwd: os.tmpdir(),
        signal: AbortSignal.timeout(DETECT_MS),
      });
      return { agents: [...agents] };
    },
    'doctor.run': ({ toShare = false }: VerbInput<'doctor.run'>) =>
      runEarlyDoctor(
        {
          version: ownVersion,
          settings,
          hide: createReportHider({ own: process.env, redactor }),
          facts: createDoctorFacts({
            dataDir,
            loginEnvironment,
            browser: () => findBrowser(settings.get('browser.command'), process.env),
          }),
        },
        toShare,
      ),
  };
  const refuse = (): Promise<never> => Promise.reject(noData());
  const handlers = new Proxy(answered as Handlers, {
    get: (known, verb) => (Reflect.get(known, verb) as unknown) ?? refuse,
  });
  return {
    holdfast: {
      call: (verb, input, origin) => callVerb(VERBS, handlers, verb, input, origin),
      status: () => {
        throw noData();
      },
      on: () => () => undefined,
    },
    close: () => {
      settings.stop();
      return Promise.resolve();
    },
  };
}
