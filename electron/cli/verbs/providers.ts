/** `holdfast providers list|status|add|edit|remove|set-key|test|check` */
import type { Command } from 'commander';
import { Option } from 'commander';
import type { ProviderSettings } from '../../../shared/settings';
import { HoldfastError } from '../../engine/kernel/errors';
import type { Reach } from '../reach';
import type { Program, Reply, Run } from '../command';
import { asks, optional, optionalPath, plainNumber, shows, where, withOldNames } from '../command';
import { EXIT } from '../exit-codes';
import { keyOf, keyText } from '../input';
import { inertLine, spanText } from '../render';
import { addProviderHealth } from './outage';
import { entryOf } from '../../../shared/table';

const TEST_TIMEOUT_MS = 180_000;

export function addProviders(root: Command, program: Program): void {
  const provider = root
    .command('providers')
    .description('List, add, check and remove model providers');

  asks(
    program,
    provider.command('list').description('List providers and where their keys are stored'),
    'read-fixed',
    shows('provider.list', (value, run) => {
      const rows = value.providers.map((one) => [
        inertLine(one.name),
        one.kind,
        keyText(one.key),
        inertLine(one.baseUrl ?? '-'),
      ]);
      return run.table(['PROVIDER', 'TYPE', 'KEY', 'BASE URL'], rows) || 'No providers.';
    }),
  );

  addProviderHealth(provider, program);

  addProviderChanges(provider, program);

  asks(
    program,
    withOldNames(
      provider
        .command('set-key')
        .description('Store a key, read from standard input; it can never be read back')
        .argument('<name>', 'Provider name')
        .option('--remove', 'Delete the stored key')
        .option('--allow-plaintext', 'Store it unencrypted (0600) if no keyring exists'),
      new Option('--from-env <name>', 'Take the key from this environment variable instead'),
      '--env <name>',
    ),
    'set',
    async (engine, run, name) => {
      const key =
        optional<boolean>(run, 'remove') === true
          ? null
          : await keyOf(run, optional<string>(run, 'fromEnv'));
      const value = await engine.call('provider.setKey', {
        name,
        key,
        ...where('allowPlaintext', optional<boolean>(run, 'allowPlaintext')),
      });
      return { value, text: `Provider ${inertLine(value.name)}: ${keyText(value.key)}` };
    },
  );

  asks(
    program,
    provider
      .command('test')
      .description('Send one small request to a model; it may be billed')
      .argument('<name>', 'Provider name')
      .option('--model <model>', 'Model name (default: one that an agent uses)'),
    'running',
    async (engine, run, name) => {
      const value = await engine.call(
        'provider.test',
        { name, ...where('model', optional<string>(run, 'model')) },
        TEST_TIMEOUT_MS,
      );
      return {
        value,
        text: `${value.ok ? 'OK' : 'Failed'} (${spanText(value.tookMs)}): ${inertLine(value.message)}`,
        exitCode: value.ok ? EXIT.ok : EXIT.failed,
      };
    },
  );
}

const KINDS = ['openai-compatible', 'anthropic', 'google'] as const;

/** The fields of a provider that were given; an empty text removes one. */
function givenFields(run: Run): Partial<Record<keyof ProviderSettings, unknown>> {
  return {
    ...where('kind', optional<string>(run, 'type')),
    ...where('base_url', optional<string>(run, 'baseUrl')),
    ...where('api_key_env', optional<string>(run, 'keyEnv')),
    ...where('api_key_file', optionalPath(run, 'keyFile')),
    ...where('price_input_per_million_usd', optional<number>(run, 'priceIn')),
    ...where('price_output_per_million_usd', optional<number>(run, 'priceOut')),
  };
}

const withFields = (command: Command, isNew: boolean): Command =>
  withOldNames(
    command
      .argument('<name>', 'Provider name')
      .option('--base-url <url>', 'https URL, or http on this computer')
      .option('--key-env <name>', 'Environment variable with the API key')
      .option('--key-file <path>', 'File (0600) with the API key')
      .option(
        '--price-in <usd>',
        'US dollars per million input tokens, in place of the built-in price list',
        plainNumber,
      )
      .option(
        '--price-out <usd>',
        'US dollars per million output tokens, in place of the built-in price list',
        plainNumber,
      ),
    new Option('--type <type>', 'API of the provider').choices(KINDS).makeOptionMandatory(isNew),
    '--kind <type>',
  );

async function storedProviders(
  engine: Reach,
): Promise<Readonly<Record<string, ProviderSettings | undefined>>> {
  const { value } = await engine.call('config.get', { key: 'providers' });
  return (value ?? {}) as Record<string, ProviderSettings | undefined>;
}

async function saved(
  engine: Reach,
  name: string,
  fields: Partial<Record<keyof ProviderSettings, unknown>>,
): Promise<Reply> {
  const given = Object.entries(fields).filter(([, value]) => value !== '');
  // Checked by the contract: the answer names what is wrong.
  const provider = Object.fromEntries(given) as ProviderSettings;
  const value = await engine.call('provider.set', { name, provider });
  return { value, text: `Provider ${inertLine(value.name)} is saved: ${keyText(value.key)}` };
}

function addProviderChanges(providers: Command, program: Program): void {
  asks(
    program,
    withFields(providers.command('add').description('Add a provider'), true),
    'set',
    async (engine, run, name) => {
      if (Object.hasOwn(await storedProviders(engine), name))
        throw new HoldfastError(
          'PROVIDER_EXISTS',
          `Provider "${name.slice(0, 60)}" already exists.`,
          {
            hint: 'Nothing was changed. Change it with: holdfast providers edit',
          },
        );
      return saved(engine, name, givenFields(run));
    },
  );
  asks(
    program,
    withFields(
      providers.command('set', { hidden: true }).description('Add or replace a provider'),
      true,
    ),
    'set',
    (engine, run, name) => saved(engine, name, givenFields(run)),
  );
  asks(
    program,
    withFields(
      providers
        .command('edit')
        .description('Update a provider. Omitted options stay; pass "" to clear one'),
      false,
    ),
    'set',
    async (engine, run, name) => {
      const all = await storedProviders(engine);
      const before = entryOf(all, name);
      if (before === undefined)
        throw new HoldfastError(
          'PROVIDER_UNKNOWN',
          `There is no provider "${name.slice(0, 60)}".`,
          {
            hint: 'Nothing was changed. List them: holdfast providers list',
          },
        );
      return saved(engine, name, { ...before, ...givenFields(run) });
    },
  );
  asks(
    program,
    providers
      .command('remove')
      .description('Remove a provider that no agent uses, and its stored key')
      .argument('<name>', 'Provider name'),
    'set',
    async (engine, _run, name) => {
      const value = await engine.call('provider.remove', { name });
      return { value, text: `Provider ${inertLine(value.name)} is removed.` };
    },
  );
}
