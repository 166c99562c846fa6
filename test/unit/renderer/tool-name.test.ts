import { describe, expect, it } from 'vitest';
import { shortNames, toolName } from '../../../renderer/parts/tool-name';

describe('names of tools', () => {
  it.each([
    [
      ['office.send_email', 'files.read_file', 'model'],
      ['send_email', 'read_file', 'model'],
    ],
    [
      ['office.send_email', 'home.send_email', 'office.search'],
      ['office.send_email', 'home.send_email', 'search'],
    ],
    [
      ['files.read_file', 'remote.read_file'],
      ['read_file', 'remote.read_file'],
    ],
    [
      ['office.send_email', 'office.send_email'],
      ['send_email', 'send_email'],
    ],
    [['a.b.c'], ['b.c']],
  ])('%j are shown as %j', (tools, names) => {
    expect(tools.map(shortNames(tools))).toEqual(names);
  });

  it('leaves a tool that is not of the list its host', () => {
    expect(shortNames([])('office.send_email')).toBe('office.send_email');
    expect(toolName('shell.shell')).toBe('shell');
  });
});
