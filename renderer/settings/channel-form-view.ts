/** The content of a channel's form, and the settings it produces. Pure. */
import {
  CHANNEL_FORMS,
  type ChannelField,
  type ChannelInput,
  type ChannelKind,
} from './channel-fields';

type Value = string | boolean | readonly string[];

/** As typed, by field; fields of another kind are kept but not saved. */
export interface ChannelDraft {
  readonly name: string;
  readonly kind: ChannelKind;
  readonly isOn: boolean;
  readonly values: Readonly<Record<string, Value>>;
}

const emptyOf = ({ input }: ChannelField): Value =>
  input === 'switch'
    ? false
    : input === 'text' || input === 'agent' || input === 'decides'
      ? ''
      : [];

/** The fields in the form of a kind, with that of its key. */
function fieldsOf(kind: ChannelKind): readonly ChannelField[] {
  const { fields, key } = CHANNEL_FORMS[kind];
  return key === undefined
    ? fields
    : [
        ...fields,
        {
          field: key.envField,
          input: 'text',
          label: 'channelForm.keyEnv',
          about: 'channelForm.keyEnvAbout',
        },
      ];
}

type Tree = Readonly<Record<string, unknown>>;
function valueIn(spec: Tree, field: string): unknown {
  const [outer = '', inner] = field.split('.');
  const value = spec[outer];
  return inner === undefined ? value : (value as Tree | undefined)?.[inner];
}

/** The fields of an existing channel, or empty ones. */
export function draftOf(name: string, stored: ChannelInput | undefined): ChannelDraft {
  const kind = stored?.kind ?? 'telegram';
  return {
    name,
    kind,
    isOn: stored?.enabled !== false,
    values: Object.fromEntries(
      fieldsOf(kind).map((one) => [
        one.field,
        (valueIn(stored ?? {}, one.field) as Value | undefined) ?? emptyOf(one),
      ]),
    ),
  };
}

/** The content of a field, or its default if the user typed nothing. */
export const valueOf = ({ values }: ChannelDraft, field: ChannelField): Value =>
  values[field.field] ?? emptyOf(field);

const isFilled = (value: Value | undefined): boolean =>
  typeof value === 'string'
    ? value.trim() !== ''
    : typeof value === 'boolean'
      ? value
      : value !== undefined && value.length > 0;
const hasIn =
  ({ values }: ChannelDraft) =>
  (field: string): boolean =>
    isFilled(values[field]);

/** True if every field required for this kind is filled in. */
export const isComplete = (draft: ChannelDraft): boolean =>
  draft.name.trim() !== '' && CHANNEL_FORMS[draft.kind].isComplete(hasIn(draft));

/** The name of its token or secret; undefined if it needs none. */
export function keyOf(draft: ChannelDraft) {
  const { key } = CHANNEL_FORMS[draft.kind];
  return key === undefined || key.isUsed?.(hasIn(draft)) === false ? undefined : key;
}

function put(spec: Record<string, unknown>, field: string, value: unknown): void {
  const [outer = '', inner] = field.split('.');
  if (inner === undefined) {
    if (value === undefined) Reflect.deleteProperty(spec, outer);
    else spec[outer] = value;
    return;
  }
  const group = { ...(spec[outer] as Tree | undefined) };
  put(group, inner, value);
  if (Object.keys(group).length === 0) Reflect.deleteProperty(spec, outer);
  else spec[outer] = group;
}

/**
 * The settings of the draft. Settings that the form does not show are kept: timeouts, files,
 * addresses.
 */
export function channelOf(draft: ChannelDraft, stored: ChannelInput | undefined): ChannelInput {
  const spec: Record<string, unknown> = {
    ...(stored?.kind === draft.kind ? stored : {}),
    kind: draft.kind,
  };
  put(spec, 'enabled', draft.isOn ? undefined : false);
  for (const field of fieldsOf(draft.kind)) {
    const value = valueOf(draft, field);
    put(
      spec,
      field.field,
      isFilled(value) ? (typeof value === 'string' ? value.trim() : value) : undefined,
    );
  }
  // The channel has no people who decide, so the setting for what can be decided has no meaning.
  if (valueIn(spec, 'decide.people') === undefined) put(spec, 'decide', undefined);
  // The contract reports what is invalid.
  return spec as ChannelInput;
}
