/** Deep links and what other programs put on our command line. */
import { describe, expect, it } from 'vitest';
import { isRoute, pageUrl, parseLink, routeOf } from '../../electron/shell/windows/links';
import {
  leadingArguments,
  linkFromArguments,
  routeFromArguments,
  userArguments,
} from '../../electron/shell/launch-arguments';
import { VERBS } from '../../shared/contract';

describe('D1 links', () => {
  it.each([
    ['holdfast://open/home', '/'],
    ['holdfast://open/decisions', '/decisions'],
    ['holdfast://open/decision/12', '/decisions/12'],
    ['holdfast://open/turn/7', '/turns/7'],
    ['holdfast://open/session/3/', '/sessions/3'],
  ])('D1 %s leads to %s', (link, route) => {
    expect(parseLink(link)).toBe(route);
  });

  it.each([
    'holdfast://approve/12',
    'holdfast://open/decision/12/resume',
    'holdfast://open/decision/12?do=resume',
    'holdfast://open/decision/12#resume',
    'holdfast://open/decision/0',
    'holdfast://open/decision/-1',
    'holdfast://open/decision/1e3',
    'holdfast://open/decision',
    'holdfast://open/home/1',
    'holdfast://open/settings',
    'holdfast://open/constructor',
    'holdfast://open/toString/1',
    'holdfast://open/../decision/1',
    'holdfast://open/decision/%31',
    'holdfast://user@open/home',
    'holdfast://open:1/home',
    'HOLDFAST://open/home',
    'https://open/home',
    'javascript:alert(1)',
    `holdfast://open/decision/${'1'.repeat(300)}`,
    ' holdfast://open/home',
    'holdfast://open/home\n',
    '',
  ])('D1 %j leads nowhere', (link) => {
    expect(parseLink(link)).toBeUndefined();
  });

  it('D1 puts only routes of our grammar behind the # of a page', () => {
    expect(pageUrl('index', '/decisions/4')).toBe('holdfast://app/index.html#/decisions/4');
    expect(pageUrl('index', '/x"><script>')).toBe('holdfast://app/index.html');
    expect(isRoute('//evil.example/')).toBe(false);
    expect(routeOf('holdfast://app/index.html#javascript:alert(1)')).toBe('/');
  });
});

describe('D2 arguments', () => {
  it('D2 takes a link out of the arguments and ignores what is around it', () => {
    expect(routeFromArguments(['--takeover', 'holdfast://open/turn/7', '--x'])).toBe('/turns/7');
    expect(routeFromArguments(['holdfast://open/turn/7?run=1'])).toBeUndefined();
    expect(routeFromArguments([])).toBeUndefined();
  });

  it('D2 a link of 201 characters is not handed to the instance that runs, which would refuse the whole question; a wrong one of 200 is, and judged there', () => {
    const wrong = (chars: number): string => 'holdfast://open/turn/7?'.padEnd(chars, 'x');
    expect(linkFromArguments(['--hidden', wrong(200)])).toBe(wrong(200));
    expect(linkFromArguments([wrong(201)])).toBeUndefined();
    const taken = VERBS['instance.focus'].input();
    expect(taken.safeParse({ link: wrong(200) }).success).toBe(true);
  });

  it('D2 of the switches of a start only those go on to the next one that it cannot show a window without', () => {
    const argv = ['/e/electron', '--no-sandbox', '--inspect', '--ozone-platform=wayland', '/src'];
    const more = ['--ozone-platform-hint=auto', '--ozone-platform=x --inspect', '--takeover'];
    const facts = { argv: [...argv, ...more], isDefaultApp: true, appPath: '/src' };
    expect(leadingArguments(facts)).toEqual([
      '--no-sandbox',
      '--ozone-platform=wayland',
      '--ozone-platform-hint=auto',
      '/src',
    ]);
  });

  it('D2 drops the executable, the app folder and Chromium switches, and keeps the rest in order', () => {
    expect(
      userArguments({
        argv: [
          '/e/electron',
          '--no-sandbox',
          '-r',
          'x.js',
          '/src/app',
          'status',
          '--json',
          '--remote-debugging-port=0',
        ],
        isDefaultApp: true,
        appPath: '/src/app',
      }),
    ).toEqual(['status', '--json']);
    expect(
      userArguments({
        argv: ['/opt/holdfast', '--no-sandbox', 'turns', 'list'],
        isDefaultApp: false,
        appPath: '/opt/resources/app.asar',
      }),
    ).toEqual(['turns', 'list']);
  });
});
