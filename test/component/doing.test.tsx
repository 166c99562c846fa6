// @vitest-environment happy-dom
import { act, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { HomePage } from '../../renderer/home/home-page';
import { show } from './render';

it('a running row on Home says what it is at, and its last line as it is printed', async () => {
  const { fake } = show(<HomePage />, (seed) => {
    seed.turns = seed.turns.map((turn) =>
      turn.id === 8
        ? {
            ...turn,
            doing: {
              step: 6,
              tool: 'shell.shell',
              purity: 'side_effect' as const,
              hint: 'npm test',
              sinceMs: Date.now() - 12_400,
            },
          }
        : turn.id === 9
          ? {
              ...turn,
              doing: {
                step: 2,
                tool: 'model',
                purity: 'llm' as const,
                hint: 'large-1',
                sinceMs: Date.now() - 3_000,
              },
            }
          : turn,
    );
  });
  const at = (await screen.findByText('npm test')).closest('.doing');
  expect(at?.textContent).toMatch(/^running npm test, 1[2-9] s$/);
  const waits = screen.getByText(/^waiting for the model/).closest('.doing');
  expect(waits?.textContent).toMatch(/^waiting for the model, [3-9] s$/);
  act(() => fake.emit('step.output', { turnId: 8, step: 6, text: '40 passed\n41 passed\n' }));
  act(() => fake.emit('step.output', { turnId: 8, step: 5, text: 'of an earlier step' }));
  expect(at?.textContent).toMatch(/ · 41 passed$/);
});
