import type { Breaker, Refusal } from '../../ports/breakers';

/** What a call reveals about its dependency. */
export type CallVerdict =
  | { readonly kind: 'ok' }
  | { readonly kind: 'failed'; readonly error: string }
  | { readonly kind: 'neither' };

/**
 * One call through a breaker, without retries: permit, call, verdict. `judge` evaluates the result,
 * `judgeError` a thrown error, which is rethrown. S2-01, S2-28.
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
