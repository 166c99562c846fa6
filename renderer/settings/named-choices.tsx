/** A setting with a separate value for single names: a list, and a row to add one. */
import { useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import type { ConfigEntry } from '../../shared/types';
import type { Trouble } from '../bridge';
import { Inert } from '../parts/texts';
import { isOverridden, namedChoices, withChoice } from './settings-view';
import { AddRow, RemoveRow, StructuredSetting } from './structured-setting';
import { useWholeSetting } from './use-whole-setting';

interface NamedChoicesProps<C extends string> {
  readonly entry: ConfigEntry;
  readonly title: string;
  readonly about: ReactNode;
  readonly choices: readonly C[];
  /** Initial value of a new name. */
  readonly initial: C;
  readonly words: {
    readonly none?: string;
    readonly add: string;
    readonly removeOf: (name: string) => string;
    readonly choice: string;
    readonly choiceOf: (name: string) => string;
  };
  readonly control: (props: {
    readonly label: string;
    readonly value: C;
    readonly isDisabled: boolean;
    readonly onPick: (wanted: string | null) => void;
  }) => ReactElement;
  readonly field: (props: {
    readonly value: string;
    readonly isDisabled: boolean;
    readonly onChange: (name: string) => void;
  }) => ReactElement;
  readonly trouble?: Trouble | undefined;
}

export function NamedChoices<C extends string>(props: NamedChoicesProps<C>): ReactElement {
  const { entry, choices, words, control } = props;
  const save = useWholeSetting(entry);
  const [name, setName] = useState('');
  const [choice, setChoice] = useState<C>(props.initial);
  const isFixed = isOverridden(entry);
  const rows = namedChoices(entry.value, choices);
  const write = (of: string, wanted: C | undefined): Promise<boolean> =>
    save.write((value) => withChoice(value, choices, of, wanted));
  const add = async (): Promise<void> => {
    if (await write(name.trim(), choice)) setName('');
  };
  return (
    <StructuredSetting
      entry={entry}
      title={props.title}
      about={props.about}
      trouble={save.trouble ?? props.trouble}
    >
      {rows.length === 0 && words.none !== undefined ? <p className="sm t3">{words.none}</p> : null}
      <ul>
        {rows.map((row) => (
          <li key={row.name} className="flex flex-wrap per-skill-row">
            <Inert className="mono grow wrap" text={row.name} />
            {control({
              label: words.choiceOf(row.name),
              value: row.choice,
              isDisabled: isFixed,
              onPick: (wanted) => {
                const picked = choices.find((known) => known === wanted);
                if (picked && picked !== row.choice) void write(row.name, picked);
              },
            })}
            <RemoveRow
              label={words.removeOf(row.name)}
              isDisabled={isFixed}
              onRemove={() => void write(row.name, undefined)}
            />
          </li>
        ))}
      </ul>
      <AddRow
        label={words.add}
        isBusy={save.isBusy}
        isDisabled={isFixed}
        isReady={name.trim() !== ''}
        onAdd={add}
      >
        {props.field({ value: name, isDisabled: isFixed, onChange: setName })}
        {control({
          label: words.choice,
          value: choice,
          isDisabled: isFixed,
          onPick: (wanted) => setChoice(choices.find((known) => known === wanted) ?? props.initial),
        })}
      </AddRow>
    </StructuredSetting>
  );
}
