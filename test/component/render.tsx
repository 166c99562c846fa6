/** Renders a page in happy-dom with the real theme and a bridge that answers by the contract. */
import { configure, render } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import type { ReactElement } from 'react';
import { BridgeContext } from '../../renderer/bridge';
import { Frame } from '../../renderer/frame';
import { createFakeBridge } from '../helpers/fake-bridge';
import type { FakeBridge } from '../helpers/fake-bridge';
import { createSeed } from '../helpers/fake-seed';
import type { Seed } from '../helpers/fake-seed-type';

// A loaded machine is slow, not wrong.
configure({ asyncUtilTimeout: 45_000 });

// What the pages are shown is an afternoon. Shortly after midnight its morning would be yesterday, so
// the clock of these tests always starts at 14:31 of today and goes on from there.
const systemNowMs = Date.now.bind(Date);
const aheadMs = new Date(systemNowMs()).setHours(14, 31, 0, 0) - systemNowMs();
Date.now = () => systemNowMs() + aheadMs;

// happy-dom has no font set; growing text fields listen to it.
if (!('fonts' in document)) {
  Object.defineProperty(document, 'fonts', { value: new EventTarget() });
}

export interface Shown {
  readonly fake: FakeBridge;
  readonly user: ReturnType<typeof userEvent.setup>;
  readonly container: HTMLElement;
}

/** Shows a page; `change` edits the seed and `prepare` the answers before anything is asked. */
export function show(
  page: ReactElement,
  change: (seed: Seed) => void = () => undefined,
  prepare: (fake: FakeBridge) => void = () => undefined,
): Shown {
  const seed = createSeed(Date.now());
  change(seed);
  const fake = createFakeBridge(seed);
  prepare(fake);
  const { container } = render(
    <BridgeContext value={fake.bridge}>
      <Frame env="test">{page}</Frame>
    </BridgeContext>,
  );
  return { fake, user: userEvent.setup({ delay: null }), container };
}

/** Violations axe finds; colour contrast needs a real browser and is measured on the tokens. */
export async function axeFindings(container: HTMLElement): Promise<readonly string[]> {
  const { violations } = await axe.run(container, {
    rules: { 'color-contrast': { enabled: false }, region: { enabled: false } },
  });
  return violations.flatMap((found) =>
    found.nodes.map((node) => `${found.id}: ${node.target.join(' ')}`),
  );
}

/** Finds a command to copy; each of its words is an element, so that none is broken at a dash. */
export const command =
  (wanted: string | RegExp) =>
  (_text: string, element: Element | null): boolean => {
    if (element?.className !== 'command-text') return false;
    const text = element.textContent;
    return typeof wanted === 'string' ? text === wanted : wanted.test(text);
  };
