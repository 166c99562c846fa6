/** `holdfast hosts list|add|remove`: other computers with a Holdfast of their own. HO-01, HO-02 */
import type { Command } from 'commander';
import { z } from 'zod';
import { HoldfastError, invalidInput } from '../../engine/kernel/errors';
import type { Program, Run } from '../command';
import { asks } from '../command';
import { parseAddress, type FarAddress } from '../../../shared/ssh-address';
import { askAt, problemOf } from '../far-host';
import type { ProgramEnvironment } from '../io';
import type { Reach } from '../reach';
import { inertLine } from '../render';

const KEY = 'hosts.addresses';

type Addresses = Readonly<Record<string, string>>;

/** The part of a status that is shown, whichever version the other side has. */
const farStatus = z.object({
  version: z.string().max(100),
  phase: z.string().max(40),
  counts: z.object({ running: z.number(), needsYou: z.number() }),
});

export async function hostAddresses(engine: Reach): Promise<Addresses> {
  const { value } = await engine.call('config.get', { key: KEY });
  return value as Addresses;
}

export function addressOf(addresses: Addresses, name: string): FarAddress {
  const text = Object.hasOwn(addresses, name) ? addresses[name] : name;
  const address = text === undefined ? undefined : parseAddress(text);
  if (address !== undefined) return address;
  throw new HoldfastError('HOST_UNKNOWN', `There is no host ${inertLine(name)}.`, {
    hint: 'List the hosts with "holdfast hosts list", or write ssh://user@host.',
  });
}

interface FarHost {
  readonly name: string;
  readonly address: string;
  readonly isReachable: boolean;
  readonly version?: string;
  readonly phase?: string;
  readonly running?: number;
  readonly needsYou?: number;
  readonly problem?: string;
}

/** The environment of each ssh that a command starts. */
export const sshEnvironment = async ({ io, dataDir }: Run): Promise<ProgramEnvironment> =>
  io.offline.programEnvironment(dataDir, io.env);

async function look(env: ProgramEnvironment, name: string, address: string): Promise<FarHost> {
  const told = await askAt(env, name, address, ['status', '--json']);
  if (told.kind !== 'answer')
    return { name, address, isReachable: told.kind === 'strange', problem: told.problem };
  const read = farStatus.safeParse(told.value);
  if (!read.success)
    return { name, address, isReachable: true, problem: problemOf(name, told.value) };
  const { version, phase, counts } = read.data;
  return { name, address, isReachable: true, version, phase, ...counts };
}

function hostsText(hosts: readonly FarHost[], run: Run): string {
  const rows = hosts.map((one) => [
    inertLine(one.name),
    inertLine(one.address),
    one.isReachable ? inertLine(one.phase ?? 'not understood') : run.paint('bad', 'unreachable'),
    inertLine(one.version ?? '-'),
    one.running === undefined ? '-' : String(one.running),
    one.needsYou === undefined ? '-' : String(one.needsYou),
    inertLine(one.problem ?? ''),
  ]);
  const columns = ['HOST', 'ADDRESS', 'STATE', 'VERSION', 'RUNNING', 'NEED YOU', ''];
  return run.table(columns, rows) || 'No hosts. Add one: holdfast hosts add NAME ssh://user@host';
}

const NAME = /^[A-Za-z][\w.-]{0,63}$/;

export function addHosts(root: Command, program: Program): void {
  const hosts = root.command('hosts').description('Manage other computers that run Holdfast');

  asks(
    program,
    hosts.command('list').description('List hosts and what needs your decision there, over SSH'),
    'read-fixed',
    async (engine, run) => {
      const known = Object.entries(await hostAddresses(engine));
      const env = await sshEnvironment(run);
      const value = await Promise.all(known.map(([name, address]) => look(env, name, address)));
      return { value: { hosts: value }, text: hostsText(value, run) };
    },
  );

  asks(
    program,
    hosts
      .command('add')
      .description('Add a host, for use with --host')
      .argument('<name>', 'Name of the host')
      .argument('<address>', 'Address, such as ssh://user@host or ssh://user@host:2222'),
    'set',
    async (engine, _run, name = '', address = '') => {
      if (!NAME.test(name) || parseAddress(address) === undefined) {
        throw invalidInput(
          'These are not the name and the address of a host.',
          'For example: holdfast hosts add box ssh://me@box.example:2222',
        );
      }
      const known = await hostAddresses(engine);
      // Commands and links that use this name would silently go to another computer.
      if (Object.hasOwn(known, name) && known[name] !== address)
        throw new HoldfastError(
          'HOST_EXISTS',
          `Host ${name} already exists: ${String(known[name])}`,
          {
            hint: `Nothing was changed. To replace it, first: holdfast hosts remove ${name}`,
          },
        );
      const value = { ...known, [name]: address };
      await engine.call('config.set', { key: KEY, value });
      return {
        value: { name, address },
        text: `Added ${name}. Try it: holdfast status --host ${name}`,
      };
    },
  );

  asks(
    program,
    hosts
      .command('remove')
      .description('Remove a host; nothing changes on it')
      .argument('<name>', 'Name of the host'),
    'set',
    async (engine, _run, name = '') => {
      const { [name]: gone, ...value } = await hostAddresses(engine);
      if (gone === undefined) addressOf({}, name);
      await engine.call('config.set', { key: KEY, value });
      return { value: { name }, text: `Removed ${inertLine(name)}.` };
    },
  );
}
