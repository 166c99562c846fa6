import type { Breaker, Refusal } from '../../ports/breakers';

/** What a call says of the dependency it went to. */
export type CallVerdict =
  | { readonly kind: 'ok' }
  | { readonly kind: 'failed'; readonly error: string }
  | { readonly kind: 'neither' };

/**
 * One call through a breaker, tried once: asked for leave, made, judged. `judge` tells what the
 * result says of the dependency, `judgeError` the same of what was thrown; what was thrown goes on.
 * S2-01, S2-28.
 */
export async function guardCall<R>(
  breaker: Breaker,
  call: {
    readonly make: () => Promise<R>;
    readonly refused: (refusal: Refusal) => R;
    readonly judge: (result: R) => CallVerdict;
    readonly judgeError: (error: unknown) => CallVerdict;
  },
): Promise<R> {
  const admission = breaker.allow();
  if (admission.kind === 'refused') return call.refused(admission);
  const tell = (verdict: CallVerdict): void => {
    if (verdict.kind === 'ok') breaker.onSuccess(admission);
    else if (verdict.kind === 'failed') breaker.onFailure(admission, verdict.error);
    else breaker.onIgnored(admission);
  };
  try {
    const result = await call.make();
    tell(call.judge(result));
    return result;
  } catch (error) {
    tell(call.judgeError(error));
    throw error;
  }
}
