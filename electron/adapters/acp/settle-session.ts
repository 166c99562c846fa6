import type { ExternalResult, ExternalStart } from '../../ports/external-agent';
import { inertLine } from '../tools/tool-host';
import type { KnownAgent } from './known-agents';

/** The used fields of an agent's answer about a session that it has opened. */
export interface SessionAnswer {
  readonly sessions?: unknown;
  readonly nextCursor?: unknown;
  readonly sessionId?: unknown;
  readonly modes?: {
    readonly currentModeId?: unknown;
    readonly availableModes?: readonly { readonly id?: unknown }[];
  } | null;
  readonly configOptions?: readonly ConfigOption[] | null;
  /** Releases without options for it, such as Gemini CLI 0.61.0, list their models here. */
  readonly models?: {
    readonly currentModelId?: unknown;
    readonly availableModels?: unknown;
  } | null;
}

interface ConfigOption {
  readonly id: string;
  readonly category?: string;
  readonly currentValue?: unknown;
  /** Values, or groups of values. */
  readonly options?: unknown;
}

type Ask = (
  method: string,
  params: Readonly<Record<string, unknown>>,
) => Promise<ExternalResult<unknown>>;

/**
 * Prepares a newly opened session for prompts: sets the configured model, and a mode in which it
 * requests permission before changes.
 */
export async function settleSession(
  ask: Ask,
  session: {
    readonly ref: string;
    readonly answer: SessionAnswer;
    readonly start: Pick<ExternalStart, 'command' | 'model'>;
    readonly known: KnownAgent | undefined;
  },
): Promise<ExternalResult<void>> {
  const model = await useModel(ask, session);
  return model.kind === 'failure' ? model : useAskingMode(ask, session);
}

type Session = Parameters<typeof settleSession>[1];

async function useModel(ask: Ask, { ref, answer, start }: Session): Promise<ExternalResult<void>> {
  const { model } = start;
  if (model === undefined) return DONE;
  const option = answer.configOptions?.find((one) => one.category === 'model');
  const current = option?.currentValue ?? answer.models?.currentModelId;
  const refused = noModel(start, modelsIn(option?.options ?? answer.models?.availableModels));
  if (current === undefined) return refused;
  if (current === model) return DONE;
  const set = await (option === undefined
    ? ask('session/set_model', { sessionId: ref, modelId: model })
    : ask('session/set_config_option', { sessionId: ref, configId: option.id, value: model }));
  return set.kind === 'ok' ? DONE : refused;
}

/** Enough to choose from. */
const MAX_MODELS = 12;

/** The IDs of the models that an agent lists, in groups or not. */
function modelsIn(listed: unknown): readonly string[] {
  if (!Array.isArray(listed)) return [];
  const ids = listed.flatMap((one: unknown): readonly string[] => {
    const { value, modelId, options } = (one ?? {}) as Readonly<Record<string, unknown>>;
    const id = value ?? modelId;
    return typeof id === 'string' ? [inertLine(id)] : modelsIn(options);
  });
  return ids.slice(0, MAX_MODELS);
}

/**
 * In a mode in which the agent judges its calls itself, there is no point at which to write ahead.
 */
async function useAskingMode(
  ask: Ask,
  { ref, answer, start, known }: Session,
): Promise<ExternalResult<void>> {
  const mode = askingModeFor(known, answer);
  if (mode === undefined) return DONE;
  const set = await ask('session/set_mode', { sessionId: ref, modeId: mode });
  return set.kind === 'ok' ? DONE : notAsking(start, mode);
}

/**
 * The mode to change to; undefined if the current one requests permission, or was chosen by the
 * user. Pure.
 */
export function askingModeFor(
  known: Pick<KnownAgent, 'askingMode'> | undefined,
  { modes }: SessionAnswer,
): string | undefined {
  const asking = known?.askingMode;
  if (asking === undefined || modes === undefined || modes === null) return undefined;
  const current = modes.currentModeId;
  if (typeof current !== 'string' || !asking.insteadOf.includes(current)) return undefined;
  return modes.availableModes?.some((mode) => mode.id === asking.use) === true
    ? asking.use
    : undefined;
}

const DONE: ExternalResult<void> = { kind: 'ok', value: undefined };

type Failed = Extract<ExternalResult<never>, { kind: 'failure' }>;

const noModel = (start: Session['start'], models: readonly string[]): Failed => ({
  kind: 'failure',
  failure: {
    kind: 'start',
    message: `The agent ${inertLine(start.command)} does not accept the model ${inertLine(start.model ?? '')}.`,
    hint: `Nothing was run. ${models.length === 0 ? '' : `Its models: ${models.join(', ')}. `}Change the model of the agent, or leave it empty for the agent's default.`,
  },
});

const notAsking = (start: Session['start'], mode: string): Failed => ({
  kind: 'failure',
  failure: {
    kind: 'start',
    message: `The agent ${inertLine(start.command)} does not switch to its mode ${mode}, in which it requests permission before it changes something.`,
    hint: 'Nothing was run. Choose a mode in the settings of the agent itself, then resume.',
  },
});
