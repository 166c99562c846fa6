/** `holdfast provider list|status|ping|set|set-key|test` */
import type { Command } from 'commander';
import { Option } from 'commander';
import type { ProviderSettings } from '../../../shared/settings';
import type { Program } from '../command';
import { asks, optional, optionalPath, plainNumber, where } from '../command';
import { EXIT } from '../exit-codes';
import { keyOf, keyText } from '../keys';
import { inertLine, spanText } from '../render';
import { addProviderStanding } from './outage';

const TEST_TIMEOUT_MS = 180_000;

export function addProviders(root: Command, program: Program): void {
  const provider = root.command('provider').description('Model providers and their keys');

  asks(
    program,
    provider.command('list').description('every provider'),
    'read',
    async (engine, run) => {
      const value = await engine.call('provider.list', {});
      const rows = value.providers.map((one) => [
        inertLine(one.name),
        one.kind,
        keyText(one.key),
        inertLine(one.baseUrl ?? '-'),
      ]);
      return {
        value,
        text: run.table(['PROVIDER', 'KIND', 'KEY', 'ADDRESS'], rows) || 'No providers.',
      };
    },
  );

  addProviderStanding(provider, program);

  asks(
    program,
    provider
      .command('set')
      .description('add or change a provider')
      .argument('<name>', 'its name')
      .addOption(
        new Option('--kind <kind>', 'how it speaks')
          .choices(['openai-compatible', 'anthropic', 'google'])
          .makeOptionMandatory(),
      )
      .option('--base-url <url>', 'https, or http on this computer')
      .option('--key-env <name>', 'environment variable that holds the key')
      .option('--key-file <path>', 'file (0600) that holds the key')
      .option('--price-in <usd>', 'US dollars for a million input tokens', plainNumber)
      .option('--price-out <usd>', 'US dollars for a million output tokens', plainNumber),
    'set',
    async (engine, run, name) => {
      const value = await engine.call('provider.set', {
        name,
        provider: {
          kind: run.options['kind'] as ProviderSettings['kind'],
          ...where('base_url', optional<string>(run, 'baseUrl')),
          ...where('api_key_env', optional<string>(run, 'keyEnv')),
          ...where('api_key_file', optionalPath(run, 'keyFile')),
          ...where('price_input_per_million_usd', optional<number>(run, 'priceIn')),
          ...where('price_output_per_million_usd', optional<number>(run, 'priceOut')),
        },
      });
      return { value, text: `Provider ${inertLine(value.name)} is saved: ${keyText(value.key)}` };
    },
  );

  asks(
    program,
    provider
      .command('set-key')
      .description('store a key, read from standard input; it can never be read back')
      .argument('<name>', 'its provider')
      .option('--env <name>', 'take it from this environment variable instead')
      .option('--remove', 'forget the stored key')
      .option('--allow-plaintext', 'store it unencrypted (0600) where no keyring exists'),
    'set',
    async (engine, run, name) => {
      const key =
        optional<boolean>(run, 'remove') === true
          ? null
          : await keyOf(run, optional<string>(run, 'env'));
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
      .description('one small request')
      .argument('<name>', 'its provider')
      .option('--model <model>', 'model to ask'),
    'running',
    async (engine, run, name) => {
      const value = await engine.call(
        'provider.test',
        { name, ...where('model', optional<string>(run, 'model')) },
        TEST_TIMEOUT_MS,
      );
      return {
        value,
        text: `${value.ok ? 'It answers' : 'It does not answer'} (${spanText(value.tookMs)}): ${inertLine(value.message)}`,
        exitCode: value.ok ? EXIT.ok : EXIT.failed,
      };
    },
  );
}
