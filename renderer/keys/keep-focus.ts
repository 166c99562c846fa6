/**
 * Keeps the keyboard focus in place. A browser moves the focus to the top of the page when its
 * control is disabled during a save, or removed with a saved form or a decided row. This returns
 * the focus to the control as soon as it is enabled again. If the control is gone, the focus goes
 * to the part of the page that contained it, never to another button: the next key press would
 * activate that one.
 */

/** True if an external program does the work of the agent. */
interface Held {
  readonly element: HTMLElement;
  readonly around: readonly HTMLElement[];
}

/** Number of remembered controls: a row, its menu, the question it opened, the buttons of that. */
const MAX_HELD = 8;
/** Most saves take less; and pages that know a better place for the focus have set it by then. */
const LOST_MS = 250;
const LANDED = 'data-landed';
const PLACES =
  'article, section, form, fieldset, li, nav, aside, main, [role="group"], [role="region"], [role="dialog"], [role="tabpanel"]';

/** True if no control chosen by the user has the focus: a page with a better place may set it. */
export function isFocusLost(): boolean {
  const { activeElement, body } = document;
  return activeElement === null || activeElement === body || activeElement.hasAttribute(LANDED);
}

/** Watches this window's focus until the returned function is called. */
export function keepFocus(): () => void {
  /** Newest first; empty if the user gave up the focus on purpose. */
  let held: readonly Held[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  const onFocus = ({ target }: FocusEvent): void => {
    // A dialog without a control to return the focus to returns it to the body.
    const isNobody = target === document.body;
    if (!(target instanceof HTMLElement) || isNobody || target.hasAttribute(LANDED)) return;
    const now = { element: target, around: ancestorsOf(target) };
    held = [now, ...held.filter(({ element }) => element !== target)].slice(0, MAX_HELD);
  };
  const onBlur = ({ target, relatedTarget }: FocusEvent): void => {
    if (relatedTarget !== null || !(target instanceof HTMLElement)) return;
    // Only now is it known whether the control itself is gone.
    queueMicrotask(() => {
      const isThere = target.isConnected && !target.matches(':disabled');
      // A click outside every control: no focus was lost.
      if (isThere && document.activeElement === document.body) held = [];
    });
  };
  const land = (): void => {
    timer = undefined;
    if (document.activeElement !== document.body) return;
    for (const [at, { element, around }] of held.entries()) {
      const place = around.find((one) => one.isConnected)?.closest<HTMLElement>(PLACES);
      const isLanded = takesFocus(element) || (place != null && landOn(place));
      // A control that is only saving will be enabled again: wait for it.
      const isSaving = element.isConnected && isDisabled(element);
      if (!isLanded && !isSaving) continue;
      held = held.slice(at);
      return;
    }
    held = [];
  };
  const look = (): void => {
    const [newest] = held;
    if (newest === undefined) return;
    // A disabled control keeps the focus until the next render.
    const isAbout = newest.element === document.activeElement && isDisabled(newest.element);
    if (!isAbout && (!isFocusLost() || takesFocus(newest.element))) return;
    if (isAbout || document.activeElement === document.body) timer ??= setTimeout(land, LOST_MS);
  };
  const observer = new MutationObserver(look);
  observer.observe(document.body, {
    subtree: true,
    childList: true,
    attributes: true,
    attributeFilter: ['disabled'],
  });
  document.addEventListener('focusin', onFocus);
  document.addEventListener('focusout', onBlur);
  return () => {
    clearTimeout(timer);
    observer.disconnect();
    document.removeEventListener('focusin', onFocus);
    document.removeEventListener('focusout', onBlur);
  };
}

const isDisabled = (element: HTMLElement): boolean => element.matches(':disabled');

function ancestorsOf(element: HTMLElement): readonly HTMLElement[] {
  const around: HTMLElement[] = [];
  for (let at = element.parentElement; at !== null; at = at.parentElement) around.push(at);
  return around;
}

function takesFocus(element: HTMLElement): boolean {
  if (!element.isConnected || isDisabled(element)) return false;
  element.focus({ preventScroll: true });
  return document.activeElement === element;
}

/** A screen reader reads its name, and the next Tab goes to its first control. */
function landOn(place: HTMLElement): boolean {
  const isOwn = !place.hasAttribute('tabindex');
  place.setAttribute(LANDED, '');
  if (isOwn) place.tabIndex = -1;
  const leave = (): void => {
    place.removeAttribute(LANDED);
    if (isOwn) place.removeAttribute('tabindex');
  };
  place.focus({ preventScroll: true });
  if (document.activeElement === place) {
    place.addEventListener('blur', leave, { once: true });
    return true;
  }
  leave();
  return false;
}
