import { describe, expect, it } from 'vitest';
import { withoutOwner } from '../../shared/owner-words';

const ann = { homes: ['/home/ann', '/var/home/ann'], name: 'ann' };
const anna = { homes: ['C:\\Users\\anna'], name: 'anna' };
const root = { homes: ['/root'], name: 'root' };

describe('a text that leaves the account', () => {
  it.each([
    ['/home/ann/.holdfast', '~/.holdfast', ann],
    ['at /home/ann.', 'at ~.', ann],
    ['/var/home/ann/x and /home/ann/y', '~/x and ~/y', ann],
    ['file:///home/ann/x', 'file://~/x', ann],
    ['/home/anna/x', '/home/anna/x', ann],
    ['/home/ann-2/x /home/ann.old/y', '/home/ann-2/x /home/ann.old/y', ann],
    ['/mnt/home/ann/x', '/mnt/home/USER/x', ann],
    ['/data/ann/holdfast', '/data/USER/holdfast', ann],
    ['ann has annual plans', 'ann has annual plans', ann],
    ['c:\\users\\Anna\\Holdfast', '~\\Holdfast', anna],
    ['C:\\\\Users\\\\anna\\\\x', '~\\\\x', anna],
    ['C:/Users/anna/x', '~/x', anna],
    ['D:\\data\\anna', 'D:\\data\\USER', anna],
    ['runs as root in /root/.holdfast', 'runs as root in ~/.holdfast', root],
    ['/x', '/x', { homes: ['/'], name: '' }],
  ])('UP-04 %j becomes %j', (text, expected, owner) => {
    expect(withoutOwner(text, owner)).toBe(expected);
  });
});
