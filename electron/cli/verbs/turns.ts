/** `holdfast turns list|show|step|plan|cancel` */
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import type { TurnState } from '../../../shared/types';
import { TURN_STATES } from '../../../shared/states';
import { HoldfastError } from '../../engine/kernel/errors';
import type { Program } from '../command';
import { asks, list, optional, where, wholeNumber } from '../command';
import { countText } from '../render';
import { wholeText, withWholeAnswer, withWholePrompt } from '../whole-text';
import { planText, stepText, turnLine, turnsTable, turnText } from './turn-text';

function states(text: string): TurnState[] {
  return list(text).map((state) => {
    const known = TURN_STATES.find((one) => one === state);
    if (!known) throw new InvalidArgumentError(`It must be of: ${TURN_STATES.join(', ')}.`);
    return known;
  });
}

export function addTurns(root: Command, program: Program): void {
  const turns = root.command('turns').description('Turns: what was asked and what became of it');

  asks(
    program,
    turns
      .command('list')
      .description('turns, newest first')
      .option('--state <states>', 'only these, separated by commas', states)
      .option('--session <session>', 'only of this session')
      .option('--limit <n>', 'at most this many (default 50)', wholeNumber)
      .option('--before <turn>', 'older than this turn', wholeNumber),
    'read',
    async (engine, run) => {
      const value = await engine.call('turns.list', {
        ...where('states', optional<TurnState[]>(run, 'state')),
        ...where('session', optional<string>(run, 'session')),
        ...where('beforeId', optional<number>(run, 'before')),
        limit: optional<number>(run, 'limit') ?? 50,
      });
      const text = turnsTable(value.turns, run) || 'No turns.';
      const last = value.turns.at(-1);
      const more =
        value.hasMore && last
          ? `\nOlder ones: holdfast turns list --before ${String(last.id)}`
          : '';
      return { value, text: text + more };
    },
  );

  asks(
    program,
    turns
      .command('show')
      .description('one turn with its steps')
      .argument('<turn>', 'its number', wholeNumber)
      .option('--full', 'the whole prompt and answer, however long'),
    'read',
    async (engine, run, turn) => {
      const turnId = Number(turn);
      // For programs the value is whole, as it always was; the table for people shows no texts.
      const value = await engine.call('turns.show', {
        turnId,
        ...(run.isJson ? { withTexts: true } : {}),
      });
      const isFull = optional<boolean>(run, 'full') === true;
      const shown = isFull
        ? await withWholePrompt(engine, await withWholeAnswer(engine, value))
        : value;
      return { value: shown, text: turnText(shown, run) };
    },
  );

  asks(
    program,
    turns
      .command('step')
      .description('one step with what was handed in and what came back')
      .argument('<turn>', 'its number', wholeNumber)
      .argument('<step>', 'the number of the step', wholeNumber)
      .option('--full', 'the whole input and result, however long'),
    'read',
    async (engine, run, turn, step) => {
      const at = { turnId: Number(turn), step: Number(step) };
      const value = await engine.call('turns.step', at);
      const isFull = optional<boolean>(run, 'full') === true && value.isTruncated === true;
      const shown = isFull
        ? {
            ...value,
            args: await wholeText(engine, { ...at, part: 'input' }),
            result: await wholeText(engine, { ...at, part: 'result' }),
            isTruncated: false,
          }
        : value;
      return { value: shown, text: stepText(shown, run) };
    },
  );

  asks(
    program,
    turns
      .command('plan')
      .description('what a resume would reuse, ask again and run')
      .argument('<turn>', 'its number', wholeNumber),
    'read',
    async (engine, run, turn) => {
      const value = await engine.call('turns.plan', { turnId: Number(turn) });
      return { value, text: planText(value, run) };
    },
  );

  asks(
    program,
    turns
      .command('retry')
      .description('try a waiting turn again now instead of at its time')
      .argument('<turn>', 'its number', wholeNumber),
    'running',
    async (engine, run, turn) => {
      const value = await engine.call('turns.retryNow', { turnId: Number(turn) });
      return { value, text: `Turn ${String(value.id)} is tried again now.` };
    },
  );

  asks(
    program,
    turns
      .command('cancel')
      .description('stop a turn for good; it is never replayed')
      .argument('[turn]', 'its number', wholeNumber)
      .option('--all', 'stop every turn that runs or waits'),
    'decide',
    async (engine, run, turn) => {
      const isAll = optional<boolean>(run, 'all') === true;
      if (isAll === (turn !== '')) {
        throw new HoldfastError('INPUT_INVALID', 'Name one turn, or say --all.', {
          hint: 'Nothing was changed. See: holdfast turns list',
        });
      }
      if (!isAll) {
        const value = await engine.call('turns.cancel', { turnId: Number(turn) });
        return { value, text: turnLine(value, run) };
      }
      const value = await engine.call('turns.cancelAll', {});
      const text =
        value.cancelled.length === 0
          ? 'No turn was open.'
          : `${countText(value.cancelled.length, 'turn')} stopped for good: ${value.cancelled.join(', ')}`;
      return { value, text };
    },
  );
}
