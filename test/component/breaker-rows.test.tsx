// @vitest-environment happy-dom
import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { BreakerRows } from '../../renderer/settings/breaker-rows';
import { show } from './render';

it('S2-12 2 exceptions are named by what they guard, and their names in config.json stand in the tooltip', async () => {
  const value = { 'channel.team': { failure_threshold: 2 }, 'provider.office-proxy': {} };
  show(
    <BreakerRows
      entry={{
        key: 'breakers.per_dependency',
        value,
        default: {},
        source: 'file',
        applies: 'hot',
        about: '',
      }}
    />,
  );
  expect(await screen.findByText('Channel team')).toHaveProperty('title', 'channel.team');
  expect(screen.getByText('Office proxy')).toHaveProperty('title', 'provider.office-proxy');
  expect(screen.getByRole('textbox', { name: 'Failures of Channel team' })).toHaveProperty(
    'value',
    '2',
  );
  expect(
    screen.getByRole('button', { name: 'Remove the exceptions of Office proxy' }),
  ).toBeDefined();
});
