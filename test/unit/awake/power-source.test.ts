import { describe, expect, it } from 'vitest';
import {
  sourceOfPmset,
  sourceOfSupplies,
  sourceOfWmi,
  type Supply,
} from '../../../electron/adapters/power/power-source';

const supply = (over: Partial<Supply>): Supply => ({
  type: '',
  online: '',
  capacity: '',
  status: '',
  scope: '',
  ...over,
});
const mains = (online: string): Supply => supply({ type: 'Mains', online });
const battery = (status: string, capacity: string, scope = ''): Supply =>
  supply({ type: 'Battery', status, capacity, scope });

describe('how the computer is powered', () => {
  it.each([
    ['a desktop', [mains('1')], { kind: 'plugged_in', hasBattery: false }],
    ['a virtual machine', [], { kind: 'plugged_in', hasBattery: false }],
    [
      'a laptop at work',
      [mains('1'), battery('Charging', '80')],
      { kind: 'plugged_in', hasBattery: true },
    ],
    [
      'a laptop on the train',
      [mains('0'), battery('Discharging', '80')],
      { kind: 'battery', percent: 80 },
    ],
    [
      'two batteries',
      [mains('0'), battery('Discharging', '5'), battery('Not charging', '60')],
      { kind: 'battery', percent: 60 },
    ],
    [
      'a charger by USB',
      [supply({ type: 'USB', online: '1' }), battery('Charging', '40')],
      { kind: 'plugged_in', hasBattery: true },
    ],
    ['no charger known', [battery('Discharging', '40')], { kind: 'battery', percent: 40 }],
    [
      'a battery without a level',
      [mains('0'), battery('Discharging', '')],
      { kind: 'battery', percent: undefined },
    ],
    [
      'the battery of a mouse',
      [mains('1'), battery('Discharging', '10', 'Device')],
      { kind: 'plugged_in', hasBattery: false },
    ],
  ])('KA-01 Linux: %s', (_what, supplies, expected) => {
    expect(sourceOfSupplies(supplies)).toEqual(expected);
  });

  it.each([
    [
      "Now drawing from 'AC Power'\n -InternalBattery-0 (id=1)\t100%; charged;",
      { kind: 'plugged_in', hasBattery: true },
    ],
    ["Now drawing from 'AC Power'\n", { kind: 'plugged_in', hasBattery: false }],
    [
      "Now drawing from 'Battery Power'\n -InternalBattery-0 (id=1)\t87%; discharging;",
      { kind: 'battery', percent: 87 },
    ],
    ['', { kind: 'unknown' }],
  ])('KA-01 macOS: %j', (text, expected) => {
    expect(sourceOfPmset(text)).toEqual(expected);
  });

  it.each([
    ['', { kind: 'plugged_in', hasBattery: false }],
    ['2|95\r\n', { kind: 'plugged_in', hasBattery: true }],
    ['1|42\r\n', { kind: 'battery', percent: 42 }],
    ['5|7\r\n', { kind: 'battery', percent: 7 }],
  ])('KA-01 Windows: %j', (text, expected) => {
    expect(sourceOfWmi(text)).toEqual(expected);
  });
});
