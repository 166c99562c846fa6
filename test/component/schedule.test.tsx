// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { RecoveryWindow } from '../../renderer/recovery-window';
import { fakeTask, nightSchedule } from '../helpers/fake-schedule';
import { createCalmSeed } from '../helpers/fake-seed';
import type { Seed } from '../helpers/fake-seed-type';
import { axeFindings, command, show } from './render';
import type { Shown } from './render';

const night = (seed: Seed): void => {
  seed.schedule = nightSchedule(seed.nowMs);
  seed.status = {
    ...seed.status,
    schedule: {
      active: 4,
      paused: 1,
      missed: 1,
      next: [{ taskId: 2, name: 'Calendar sync', atMs: seed.nowMs + 900_000, isOnce: false }],
    },
  };
};
const open = (hash: string, change: (seed: Seed) => void = night): Shown => {
  window.location.hash = hash;
  return show(<RecoveryWindow />, change);
};
const pane = (name: string): Promise<HTMLElement> => screen.findByRole('region', { name });
const HOSTILE = '<img src=x onerror=alert(1)>\u202Eevil\u0007';

describe('Schedule', () => {
  it('S0-23 S0-24 R11 says in words what was caught up, skipped and missed, and why; nothing to find for axe', async () => {
    const { container } = open('#/schedule');
    const decided = await screen.findByRole('region', { name: 'Run history' });
    // The whole sentence is the title; the line says what the mark does not.
    await within(decided).findByTitle(
      /^Caught up, 12 min late\. 15 missed between .* caught up with one run\.$/,
    );
    const words = within(decided)
      .getAllByRole('listitem')
      .map((row) => row.textContent);
    expect(words.join()).toMatch(/Price watchcaught up12 min late; 15 missed, one run/);
    expect(words.join()).toContain(
      'Calendar synccaught up2 min late, always caught up; 30 missed, one run',
    );
    expect(words.join()).toContain('5 h 12 min late, outside its catch-up window');
    within(decided).getByTitle(/^Skipped: 5 h 12 min late, catch-up window is 1 h\. Next run/);
    expect(words.join()).toContain('Call the bankmissed');
    expect(words.join()).toContain('Price watchwaitingRan on time. Waiting: Office proxy');
    expect(await axeFindings(container)).toEqual([]);
    expect(container.querySelectorAll('[data-variant="filled"]')).toHaveLength(1);
  });

  it('S1-09 S1-03 as a table tells rule in words, as written if that says more, zone, next run, channel and who made it', async () => {
    const { container, user } = open('#/schedule', (seed) => {
      night(seed);
      const cron = { kind: 'cron', schedule: '0 7 * * 2', words: 'Tuesdays at 07:00' } as const;
      seed.schedule.tasks = seed.schedule.tasks.map((task) =>
        task.id === 1 ? { ...task, ...cron } : task,
      );
    });
    await screen.findByRole('region', { name: 'Tasks' });
    await user.keyboard('t');
    const table = await screen.findByRole('table');
    const row = within(table).getByRole('row', { name: /Calendar sync/ });
    expect(row.textContent).toContain('Every 15 min');
    expect(row.textContent).not.toContain('every 15m');
    expect(within(table).getByRole('row', { name: /Price watch/ }).textContent).toContain(
      '0 7 * * 2',
    );
    // All tasks are in one zone: it is said once, above the rules that it belongs to.
    within(table).getByRole('columnheader', { name: 'When Europe/Berlin' });
    expect(within(table).getAllByText('Europe/Berlin')).toHaveLength(1);
    expect(row.textContent).toContain('telegram, team');
    expect(row.textContent).toContain('created by agent');
    expect(within(table).getByRole('row', { name: /Tidy downloads/ }).textContent).toContain(
      'paused',
    );
    expect(await axeFindings(container)).toEqual([]);
  });

  it('S1-09 as a table says the zone in each row where one of the tasks is in another', async () => {
    const { user } = open('#/schedule', (seed) => {
      night(seed);
      seed.schedule.tasks = seed.schedule.tasks.map((task) =>
        task.id === 1 ? { ...task, zone: 'Asia/Tokyo' } : task,
      );
    });
    await screen.findByRole('region', { name: 'Tasks' });
    await user.keyboard('t');
    const table = await screen.findByRole('table');
    within(table).getByRole('columnheader', { name: 'When' });
    const zoneOf = (name: RegExp): string | undefined =>
      within(table).getByRole('row', { name }).querySelector('.tasks-when .t3:last-child')
        ?.textContent;
    expect(zoneOf(/Price watch/)).toBe('Asia/Tokyo');
    expect(zoneOf(/Calendar sync/)).toBe('Europe/Berlin');
  });

  it('S1-03 marks in the picture what an agent has made, and says each line in words', async () => {
    open('#/schedule');
    const list = await screen.findByRole('list', { name: 'Tasks' });
    const link = within(list).getByRole('link', { name: /^Calendar sync created by agent/ });
    const said = document.getElementById(link.getAttribute('aria-describedby') ?? '');
    expect(said?.textContent).toMatch(/next .+/);
    expect(within(list).getByRole('link', { name: /^Price watch/ }).textContent).not.toContain(
      'agent',
    );
  });

  it('S0-24 S1-+02 each decision in the picture can be reached by keys, opens its turn, and says its reason where it has none', async () => {
    const { container, user } = open('#/schedule');
    const list = await screen.findByRole('list', { name: 'Tasks' });
    const runs = await within(list).findByRole('group', { name: 'Runs of Price watch' });
    const marks = within(runs).getAllByRole('link');
    expect(marks.map((mark) => mark.getAttribute('href'))).toEqual([
      '#/turns/7',
      '#/turns/8',
      '#/turns/9',
    ]);
    expect(marks[0]?.getAttribute('aria-label')).toContain('Caught up, 12 min late.');
    expect(marks.filter((mark) => mark.tabIndex === 0)).toEqual([marks[2]]);
    act(() => marks[2]?.focus());
    await user.keyboard('{ArrowLeft}{ArrowLeft}{ArrowLeft}');
    expect(document.activeElement).toBe(marks[0]);
    expect(marks.filter((mark) => mark.tabIndex === 0)).toEqual([marks[0]]);
    const skipped = within(list).getByRole('button', { name: /Skipped: 5 h 12 min late/ });
    await user.click(skipped);
    expect(container.querySelector('.lines-told')?.textContent).toMatch(
      /, .*: Skipped: 5 h 12 min late, catch-up window is 1 h\. Next run/,
    );
    expect(await axeFindings(container)).toEqual([]);
    await user.click(marks[0] as HTMLElement);
    expect(window.location.hash).toBe('#/turns/7');
  });

  it('S1-+01 finds a task among 130 that is not in the list of the first 100, and shows 100 more', async () => {
    const { fake, user } = open('#/schedule', (seed) => {
      night(seed);
      seed.schedule.tasks = Array.from({ length: 130 }, (_, at) =>
        fakeTask(seed.nowMs, at + 1, { name: at === 129 ? 'Water the plants' : `Look ${at}` }),
      );
    });
    const list = await screen.findByRole('list', { name: 'Tasks' });
    expect(list.querySelectorAll('.schedule-entry')).toHaveLength(100);
    await user.click(screen.getByRole('button', { name: 'Show more tasks' }));
    await waitFor(() => expect(list.querySelectorAll('.schedule-entry')).toHaveLength(130));
    const field = screen.getByRole('searchbox', { name: 'Search tasks' });
    await user.type(field, 'plants');
    await waitFor(() =>
      expect(fake.callsOf('tasks.list').at(-1)).toMatchObject({ search: 'plants' }),
    );
    await waitFor(() => expect(list.querySelectorAll('.schedule-entry')).toHaveLength(1));
    expect(document.activeElement).toBe(field);
  });

  it('S1-+01 pauses all tasks and goes on with all, and says how many', async () => {
    const { fake, user } = open('#/schedule');
    await user.click(await screen.findByRole('button', { name: 'Pause all' }));
    expect(await screen.findByText(/^\d+ tasks are paused until resumed\.$/)).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Resume all' }));
    expect(await screen.findByText(/^\d+ tasks resumed\. Missed runs are not caught up\.$/));
    expect(fake.callsOf('tasks.pauseAll')).toEqual([{}]);
    expect(fake.callsOf('tasks.resumeAll')).toEqual([{}]);
  });

  it('S1-+01 runs now, pauses, resumes and always catches up from the pane of a task', async () => {
    const { fake, user } = open('#/schedule/1');
    const card = await pane('Price watch');
    await user.click(within(card).getByRole('button', { name: 'Run now: Price watch' }));
    expect(await within(card).findByText('Turn 12 is running it.')).toBeTruthy();
    await user.click(within(card).getByRole('button', { name: 'Pause' }));
    await user.click(await within(card).findByRole('button', { name: 'Resume' }));
    await within(card).findByRole('button', { name: 'Pause' });
    await user.click(within(card).getByRole('button', { name: 'Always catch up' }));
    expect(
      await within(card).findByRole('button', { name: 'Use the default catch-up' }),
    ).toBeTruthy();
    expect(fake.callsOf('tasks.run')).toEqual([{ taskId: 1 }]);
    expect(fake.callsOf('tasks.pause')).toEqual([{ taskId: 1 }]);
    expect(fake.callsOf('tasks.resume')).toEqual([{ taskId: 1 }]);
    expect(fake.callsOf('tasks.update')).toEqual([{ taskId: 1, catchup: 'always' }]);
  });

  it('S1-+01 says why a run is refused, and cancels only after a question without a filled button', async () => {
    const { fake, user } = open('#/schedule/3');
    fake.refuse('tasks.run', 'TASK_STATE', 'Task 3 is active. A run of it is still going.');
    const card = await pane('Back up notes');
    await user.click(within(card).getByRole('button', { name: 'Run now: Back up notes' }));
    expect(await screen.findByText('Task 3 is active. A run of it is still going.')).toBeTruthy();
    await user.click(within(card).getByRole('button', { name: 'More about Back up notes' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Cancel task…' }));
    const dialog = await screen.findByRole('dialog', { name: 'Cancel “Back up notes”?' });
    expect(dialog.querySelector('[data-variant="filled"]')).toBeNull();
    expect(fake.callsOf('tasks.cancel')).toEqual([]);
    await user.click(within(dialog).getByRole('button', { name: 'Cancel task' }));
    await waitFor(() => expect(fake.callsOf('tasks.cancel')).toEqual([{ taskId: 3 }]));
    const list = screen.getByRole('list', { name: 'Tasks' });
    await waitFor(() => expect(within(list).queryByText('Back up notes')).toBeNull());
  });

  it('S1-+02 lists the runs of a task with the outcome of the finished turn, which each leads to', async () => {
    open('#/schedule/2');
    const runs = within(await pane('Calendar sync'));
    const run = await runs.findByRole('link', { name: '4 events moved' });
    expect(run.getAttribute('href')).toBe('#/turns/6');
    expect(runs.getByText('12 s')).toBeTruthy();
    expect(runs.queryByRole('button', { name: /^Cancel turn/ })).toBeNull();
  });

  it('S1-+02 a run that is not over has Stop beside it, which ends exactly its turn', async () => {
    const { fake, user } = open('#/schedule/1');
    const runs = within(await pane('Price watch'));
    await user.click(await runs.findByRole('button', { name: 'Cancel turn: Price watch' }));
    await waitFor(() => expect(fake.callsOf('turns.cancel')).toEqual([{ turnId: 9 }]));
  });

  it('S0-23 S1-09 names what is over by now, and says a rule once that has no other words', async () => {
    open('#/schedule/1', (seed) => {
      night(seed);
      const { slots, tasks } = seed.schedule;
      seed.schedule.slots = slots.map((slot) =>
        slot.taskId === 2 ? { ...slot, taskId: 99, name: 'Said once' } : slot,
      );
      seed.schedule.tasks = tasks.map((task) =>
        task.id === 1 ? { ...task, schedule: '*/5 * * * *', words: '*/5 * * * *' } : task,
      );
    });
    const decided = await screen.findByRole('region', { name: 'Run history' });
    expect(await within(decided).findByRole('link', { name: 'Said once' })).toBeTruthy();
    expect(decided.textContent).not.toContain('#99');
    expect(await within(await pane('Price watch')).findAllByText('*/5 * * * *')).toHaveLength(1);
  });

  it('S0-24 draws the arrows of a task below its marks, so that the start of one hides no run', async () => {
    const { container } = open('#/schedule');
    await waitFor(() => expect(container.querySelector('.lines-due')).not.toBeNull());
    for (const plot of container.querySelectorAll('.lines-plot > svg')) {
      const drawn = [...plot.querySelectorAll('.lines-tail, .lines-due, .lines-mark')];
      const firstMark = drawn.findIndex((one) => one.matches('.lines-mark'));
      expect(drawn.slice(firstMark).every((one) => one.matches('.lines-mark'))).toBe(true);
    }
  });

  it('R11 offers Run now for a missed task, in its pane and in Decisions', async () => {
    const { fake, user } = open('#/decisions', (seed) => {
      night(seed);
      seed.inbox = [
        {
          id: 90,
          kind: 'problem',
          taskId: 4,
          title: 'Missed: Call the bank',
          detail: 'Skipped: 42 min late, catch-up window is 30 min.',
          createdAtMs: seed.nowMs - 1000,
        },
      ];
      seed.decisions = [];
      seed.approvals = [];
    });
    expect((await screen.findByRole('link', { name: 'Open task' })).getAttribute('href')).toBe(
      '#/schedule/4',
    );
    await user.click(screen.getByRole('button', { name: 'Run now' }));
    await waitFor(() => expect(fake.callsOf('tasks.run')).toEqual([{ taskId: 4 }]));
    await waitFor(() => expect(window.location.hash).toBe('#/turns/12'));
  });

  it('S1-13 S1-23 lists timers and heartbeats with what they wake, and ends them', async () => {
    const { fake, user } = open('#/schedule');
    const wakes = await screen.findByRole('region', { name: 'Timers and heartbeats' });
    expect(await within(wakes).findByText('Check build status')).toBeTruthy();
    expect(wakes.textContent).toContain('Every 1 min · 14 wake-ups · 2 skipped');
    await user.click(
      within(wakes).getByRole('button', { name: 'Cancel timer build-check of notes' }),
    );
    await user.click(
      await within(wakes).findByRole('button', { name: 'Stop the heartbeat of notes' }),
    );
    expect(fake.callsOf('timers.cancel')).toEqual([{ session: 'notes', id: 'build-check' }]);
    expect(fake.callsOf('heartbeat.stop')).toEqual([{ session: 'notes' }]);
    expect(await within(wakes).findByText('No timers or heartbeats are set.')).toBeTruthy();
  });

  it('S1-35 says why the heartbeat of the settings does not run, and leads to its settings', async () => {
    const { fake, user } = open('#/schedule', (seed) => {
      night(seed);
      seed.schedule.heartbeats = seed.schedule.heartbeats.map((beat) => ({
        ...beat,
        isSystem: true,
      }));
      seed.schedule.heartbeatProblem = 'There is no session "ops": the heartbeat was not started.';
    });
    expect(await screen.findByText(/There is no session "ops"/)).toBeTruthy();
    const wakes = screen.getByRole('region', { name: 'Timers and heartbeats' });
    await user.click(await within(wakes).findByRole('button', { name: 'Settings' }));
    expect(fake.callsOf('app.openSettings')).toEqual([{ at: 'schedule/heartbeat.enabled' }]);
  });

  it('is empty with a sentence that says what a task is, and a command', async () => {
    const { container } = open('#/schedule', () => undefined);
    expect(
      await screen.findByText(
        /^No tasks yet\. Scheduled tasks run even when this window is closed\./,
      ),
    ).toBeTruthy();
    expect(
      screen.getByText(command('holdfast tasks add "Tidy downloads" --schedule "daily at 13:00"')),
    ).toBeTruthy();
    expect(await axeFindings(container)).toEqual([]);
  });

  it('a first task fills in the form, and never over what was typed before', async () => {
    const { user } = open('#/schedule', () => undefined);
    await user.click(await screen.findByRole('link', { name: /^Watch a folder/ }));
    const name = await screen.findByRole<HTMLInputElement>('textbox', { name: /^Name/ });
    await waitFor(() => expect(name.value).toBe('Watch a folder'));
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: /^When/ }).value).toBe(
      'every 30m',
    );
    await user.clear(name);
    await user.type(name, 'My own');
    act(() => {
      window.location.hash = '#/schedule';
    });
    await user.click(await screen.findByRole('link', { name: /^Back up notes/ }));
    const again = await screen.findByRole<HTMLInputElement>('textbox', { name: /^Name/ });
    await waitFor(() => expect(again.value).toBe('My own'));
  });

  it('shows hostile names, prompts and rules as they are, and runs nothing of them', async () => {
    const { container } = open('#/schedule/1', (seed) => {
      seed.schedule.tasks = [
        fakeTask(seed.nowMs, 1, { name: HOSTILE, prompt: HOSTILE, agent: 'x<b>', peer: HOSTILE }),
      ];
    });
    await screen.findByRole('list', { name: 'Tasks' });
    expect(container.querySelector('img')).toBeNull();
    expect(container.textContent).not.toContain('\u202E');
  });

  it('is in the sidebar with the number of active tasks and the key 4; what changes is read again', async () => {
    const { fake, user } = open('#/');
    const link = await screen.findByRole('link', { name: /^Schedule/ });
    await waitFor(() => expect(link.textContent).toContain('4 tasks are active'));
    await user.keyboard('4');
    expect(window.location.hash).toBe('#/schedule');
    const list = await screen.findByRole('list', { name: 'Tasks' });
    fake.seed.schedule.tasks = [
      ...fake.seed.schedule.tasks,
      fakeTask(fake.seed.nowMs, 9, { name: 'From elsewhere' }),
    ];
    act(() => fake.emit('schedule.changed', {}));
    expect(await within(list).findByText('From elsewhere')).toBeTruthy();
    await user.type(screen.getByRole('searchbox', { name: 'Search tasks' }), 'elsewhere');
    await waitFor(() => expect(within(list).getAllByRole('listitem')).toHaveLength(1));
  });

  it('Home says when the next task comes, and lists what is next', async () => {
    open('#/', (seed) => {
      Object.assign(seed, createCalmSeed(seed.nowMs));
      night(seed);
    });
    expect(
      await screen.findByRole('heading', { name: /^All quiet\. Next task: .+\.$/ }),
    ).toBeTruthy();
    const next = screen.getByRole('region', { name: 'Next' });
    expect(within(next).getByRole('link', { name: 'Calendar sync' }).getAttribute('href')).toBe(
      '#/schedule/2',
    );
  });
});

describe('The form of a task', () => {
  const field = (name: string | RegExp): Promise<HTMLElement> =>
    screen.findByLabelText(name, { selector: 'input, textarea' });
  const write = async (name: RegExp, value: string): Promise<void> => {
    fireEvent.change(await field(name), { target: { value } });
  };

  it('S1-09 S1-26 S0-26 shows the next runs while it is written, and makes the task with zone and catch-up', async () => {
    const { fake, user, container } = open('#/schedule/new');
    await write(/^Prompt/, 'List the invoices');
    expect(screen.getByRole('button', { name: 'Create task' })).toHaveProperty('disabled', true);
    await write(/^When/, '0 8 * * 1-5');
    expect(await screen.findByText(/^Weekdays at 8:00.AM, Europe.Berlin time$/)).toBeTruthy();
    const next = screen.getByRole('region', { name: /^Next/ });
    expect(within(next).getAllByText(/UTC/)).toHaveLength(5);
    await user.click(screen.getByRole('radio', { name: 'Always catch up' }));
    expect(
      screen.getByText(command(/^holdfast tasks add 'List the invoices' --schedule/)),
    ).toBeTruthy();
    expect(await axeFindings(container)).toEqual([]);
    await user.click(screen.getByRole('button', { name: 'Create task' }));
    await waitFor(() => expect(window.location.hash).toBe('#/schedule/7'));
    expect(fake.callsOf('tasks.add')).toMatchObject([
      {
        prompt: 'List the invoices',
        schedule: '0 8 * * 1-5',
        zone: 'Europe/Berlin',
        catchup: 'always',
      },
    ]);
  });

  it('runs what is written once, in a session of its own, and makes no task of it', async () => {
    const { fake, user } = open('#/schedule/new');
    const once = await screen.findByRole('button', { name: 'Run once now' });
    expect(once).toHaveProperty('disabled', true);
    await write(/^Prompt/, 'List the invoices');
    await user.click(once);
    const said = await screen.findByText(
      /^Turn \d+ is running it\. The task itself is not created yet\./,
    );
    expect(said.querySelector('a')?.getAttribute('href')).toMatch(/^#\/turns\/\d+$/);
    expect(fake.callsOf('session.create')).toMatchObject([{ title: 'List the invoices' }]);
    expect(fake.callsOf('send')).toMatchObject([{ text: 'List the invoices' }]);
    expect(fake.callsOf('tasks.add')).toEqual([]);
    expect(await field(/^Prompt/)).toHaveProperty('value', 'List the invoices');
  });

  it('S1-+03 More says limits, retries and folder of a run, and that a task never overlaps itself', async () => {
    const { user, container } = open('#/schedule/new');
    await user.click(await screen.findByText('More'));
    const more = container.querySelector('.task-more') as HTMLElement;
    await within(more).findByText(/\$2\.00, 30 min, 100 steps per turn/);
    expect(more.textContent).toContain('is retried after 2 s');
    expect(more.textContent).toContain('After 10 consecutive attempts');
    expect(more.textContent).toContain('Folder/');
    expect(more.textContent).toContain('the next one is skipped and recorded');
    expect(await axeFindings(container)).toEqual([]);
  });

  it('says which other tasks start at the same time, and only those', async () => {
    open('#/schedule/new', (seed) => {
      night(seed);
      seed.schedule.tasks = [
        fakeTask(seed.nowMs, 21, { name: 'Morning digest', nextRunAtMs: seed.nowMs + 30 * 60_000 }),
        fakeTask(seed.nowMs, 22, {
          name: 'Weekly licenses',
          nextRunAtMs: seed.nowMs + 31 * 60_000,
        }),
      ];
    });
    await write(/^When/, 'every 30m');
    expect(
      await screen.findByText(/^“Morning digest” starts at the same time\. Each runs/),
    ).toBeTruthy();
    expect(screen.queryByText(/Weekly licenses/)).toBeNull();
  });

  it('S1-06 S1-09 quotes what it does not understand and says what is accepted', async () => {
    const { user } = open('#/schedule/new');
    await write(/^Prompt/, 'x');
    await write(/^When/, 'every 0m');
    const said = await screen.findByText('Not understood:');
    expect(said.parentElement?.textContent).toContain('"every 0m"');
    expect(screen.getByRole('button', { name: 'Create task' })).toHaveProperty('disabled', true);
    await user.click(screen.getByRole('button', { name: 'every 30m' }));
    expect(await screen.findByText('Every 30 min')).toBeTruthy();
  });

  it('S1-11 sends both fields of the origin, and keeps what was written when the engine refuses', async () => {
    const { fake, user } = open('#/schedule/new');
    fake.refuse(
      'tasks.add',
      'CHANNEL_UNKNOWN',
      'There is no channel "telegrm".',
      'Nothing was changed.',
    );
    await write(/^Prompt/, 'x');
    await write(/^When/, 'every 30m');
    await write(/^Deliver replies to/, 'telegrm');
    await write(/^Recipient/, 'team');
    await screen.findByText('Every 30 min');
    await user.click(screen.getByRole('button', { name: 'Create task' }));
    expect(await screen.findByText('There is no channel "telegrm".')).toBeTruthy();
    expect(fake.callsOf('tasks.add')).toMatchObject([{ channel: 'telegrm', peer: 'team' }]);
    expect(await field(/^Prompt/)).toHaveProperty('value', 'x');
  });

  it('S1-+01 S0-26 edits a task: a rule that stays is not sent, so that it goes on from where it is', async () => {
    const { fake, user } = open('#/schedule/edit-1');
    const name = await field(/^Name/);
    expect(name).toHaveProperty('value', 'Price watch');
    await write(/^Name/, 'Prices');
    await user.click(screen.getByRole('radio', { name: 'Never' }));
    await waitFor(() =>
      expect(screen.getByRole('button', { name: 'Save' })).toHaveProperty('disabled', false),
    );
    await user.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(window.location.hash).toBe('#/schedule/1'));
    const [sent] = fake.callsOf('tasks.update');
    expect(sent).toMatchObject({ taskId: 1, name: 'Prices', catchup: 'never' });
    expect(sent).not.toHaveProperty('schedule');
    expect(sent).not.toHaveProperty('agent');
  });

  const sharing = (seed: Seed): void => {
    night(seed);
    seed.status = { ...seed.status, shared: { state: 'connected', held: 0 } };
  };
  const shareBox = (): Promise<HTMLInputElement> =>
    screen.findByRole<HTMLInputElement>('checkbox', { name: 'Share with my other computers' });

  it('DW-24 makes a shared task where this computer shares work, and says nothing of it elsewhere', async () => {
    const { fake, user, container } = open('#/schedule/new', sharing);
    await write(/^Prompt/, 'Summarize the night');
    await write(/^When/, 'daily at 09:00');
    await user.click(await shareBox());
    expect(
      screen.getByText(
        'Each time runs once, on one of the computers that have a shared task of this name.',
      ),
    ).toBeTruthy();
    expect(await screen.findByText(command(/ --shared$/))).toBeTruthy();
    expect(await axeFindings(container)).toEqual([]);
    await user.click(screen.getByRole('button', { name: 'Create task' }));
    await waitFor(() => expect(window.location.hash).toBe('#/schedule/7'));
    expect(fake.callsOf('tasks.add')).toMatchObject([{ shared: true }]);
    cleanup();
    open('#/schedule/new');
    await write(/^Prompt/, 'x');
    expect(screen.queryByRole('checkbox')).toBeNull();
  });

  it('DW-24 says in one line why an interval is not shared, and shares a time of day again', async () => {
    const { fake, user, container } = open('#/schedule/new', sharing);
    await write(/^Prompt/, 'x');
    await write(/^When/, 'daily at 09:00');
    await user.click(await shareBox());
    await write(/^When/, 'every 30m');
    expect(
      await screen.findByText(
        'Intervals and events cannot be shared: they differ on each computer. Use a time of day.',
      ),
    ).toBeTruthy();
    expect(await shareBox()).toMatchObject({ disabled: true, checked: false });
    expect(screen.getByText(command(/^holdfast tasks add x/)).textContent).not.toContain(
      '--shared',
    );
    expect(await axeFindings(container)).toEqual([]);
    await write(/^When/, 'daily at 10:00');
    await waitFor(async () =>
      expect(await shareBox()).toMatchObject({ disabled: false, checked: true }),
    );
    await write(/^When/, 'every 30m');
    await screen.findByText(/^Intervals and events cannot be shared/);
    await user.click(screen.getByRole('button', { name: 'Create task' }));
    await waitFor(() => expect(window.location.hash).toBe('#/schedule/7'));
    expect(fake.callsOf('tasks.add')[0]).not.toHaveProperty('shared');
  });

  it('DW-24 a shared task stays shared when it is edited; unchecked it runs on this computer alone, also after it left the store', async () => {
    const shared = (seed: Seed): void => {
      night(seed);
      seed.schedule.tasks = [
        fakeTask(seed.nowMs, 1, {
          name: 'Standup',
          schedule: 'daily at 09:00',
          words: 'Every day at 09:00',
          kind: 'cron',
          shared: true,
        }),
      ];
    };
    const { fake, user } = open('#/schedule/edit-1', shared);
    expect(await shareBox()).toMatchObject({ checked: true });
    await write(/^Name/, 'Standup 2');
    const save = async (): Promise<void> => {
      const button = screen.getByRole('button', { name: 'Save' });
      await waitFor(() => expect(button).toHaveProperty('disabled', false));
      await user.click(button);
      await waitFor(() => expect(window.location.hash).toBe('#/schedule/1'));
    };
    await save();
    expect(fake.callsOf('tasks.update')[0]).not.toHaveProperty('shared');
    window.location.hash = '#/schedule/edit-1';
    await user.click(await shareBox());
    await save();
    expect(fake.callsOf('tasks.update')[1]).toMatchObject({ shared: false });
  });
});
